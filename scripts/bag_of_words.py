#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The plain baseline beside the quickstart: word TF-IDF + logistic regression.

usage: bag_of_words.py TRAIN.jsonl TEST.jsonl [WORDS]

Needs scikit-learn (scripts/setup.sh --tests installs one into the cache
folder). WORDS cuts each document, as a model with a short context would.
"""
import json
import re
import sys

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score

WORD = re.compile(r"\w+")


def read(path):
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [row["text"] for row in rows], [row["label"] for row in rows]


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    limit = int(sys.argv[3]) if len(sys.argv) == 4 else None
    texts, labels = read(sys.argv[1])
    test_texts, test_labels = read(sys.argv[2])
    vectorizer = TfidfVectorizer(
        tokenizer=lambda text: WORD.findall(text)[:limit],
        token_pattern=None, sublinear_tf=True, min_df=2)
    model = LogisticRegression(C=30, max_iter=2000)
    model.fit(vectorizer.fit_transform(texts), labels)
    answers = model.predict(vectorizer.transform(test_texts))
    print(f"accuracy {accuracy_score(test_labels, answers):.3f}  "
          f"macro F1 {f1_score(test_labels, answers, average='macro'):.3f}")


if __name__ == "__main__":
    main()
