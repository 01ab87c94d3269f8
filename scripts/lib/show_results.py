#!/usr/bin/env python3
"""Prints the main metrics and some predictions.

usage: show_results.py METRICS.json DOCUMENTS.jsonl PREDICTIONS.jsonl
"""
import json
import sys

MAIN_METRICS = ("f1_macro", "f1_weighted", "accuracy", "mcc",
                "auroc_ovr_macro", "log_loss", "ece_15_bins")


def read_lines(path: str) -> list:
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def certainty(probabilities) -> float:
    values = (probabilities.values() if isinstance(probabilities, dict)
              else probabilities)
    return max(values)


def main() -> None:
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        metrics = json.load(file)
    print("Test metrics")
    for name in MAIN_METRICS:
        if isinstance(metrics.get(name), (int, float)):
            print(f"    {name:<18}{metrics[name]:8.4f}")
    print(f"    (all of them: {sys.argv[1]})")
    print("Three predictions")
    documents, predictions = read_lines(sys.argv[2]), read_lines(sys.argv[3])
    for document, prediction in zip(documents, predictions, strict=True):
        print(f"    {document['id']:<34} is {prediction['label']} "
              f"({certainty(prediction['probabilities']):.0%}); "
              f"in truth {document['label']}")


if __name__ == "__main__":
    main()
