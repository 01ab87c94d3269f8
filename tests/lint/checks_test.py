#!/usr/bin/env python3
"""The lint checks find violations, one at a time, in small made-up trees."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"


def run_check(script: str, files: dict) -> subprocess.CompletedProcess:
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return subprocess.run([sys.executable, SCRIPTS / script, root],
                              capture_output=True, text=True, check=False)


class CheckCase(unittest.TestCase):
    script = ""

    def accepts(self, files: dict):
        result = run_check(self.script, files)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def refuses(self, files: dict, *words: str):
        result = run_check(self.script, files)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        for word in words:
            self.assertIn(word, result.stdout)


class LayersTest(CheckCase):
    script = "check_layers.py"
    base = {"include/longformer/base/error.h": "#pragma once\n"}

    def test_accepts_a_layer_above(self):
        self.accepts(self.base | {
            "src/model/encoder.cpp": '#include "longformer/base/error.h"\n'
                                     '#include "shape.h"\n'
                                     "#include <torch/types.h>\n",
            "src/model/shape.h": "#pragma once\n"})

    def test_refuses_a_layer_below(self):
        self.refuses({
            "include/longformer/train/trainer.h": "",
            "src/attention/window.cpp":
                '#  include "longformer/train/trainer.h"\n',
        }, "src/attention/window.cpp", "longformer/train/trainer.h")

    def test_refuses_a_layer_below_in_a_public_header(self):
        self.refuses({
            "include/longformer/model/encoder.h": "",
            "include/longformer/attention/window.h":
                "#include <longformer/model/encoder.h>\n",
        }, "include/longformer/attention/window.h")

    def test_refuses_an_unknown_layer(self):
        self.refuses({"src/util/helpers.cpp": ""}, "'util' is no layer")
        self.refuses({"src/base/a.cpp": '#include "longformer/util/b.h"\n'},
                     "belongs to no layer")

    def test_refuses_a_header_that_does_not_exist(self):
        self.refuses({"src/base/a.cpp": '#include "longformer/base/gone.h"\n'},
                     "does not exist")

    def test_refuses_tensors_in_the_base_library(self):
        for name in ("torch/types.h", "ATen/ATen.h", "c10/util/Half.h"):
            self.refuses({"src/tokenizer/a.cpp": f"#include <{name}>\n"}, name)

    def test_refuses_cuda_outside_of_its_library(self):
        for name in ("cuda_runtime_api.h", "c10/cuda/CUDAStream.h", "nccl.h",
                     "torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp"):
            text = f"#include <{name}>\n"
            self.accepts({"src/cuda/a.cpp": text})
            self.refuses({"src/distributed/a.cpp": text}, name)

    def test_refuses_cli11_outside_of_the_options(self):
        text = "#include <CLI/CLI.hpp>\n"
        self.accepts({"src/cli/options_train.cpp": text})
        self.refuses({"src/cli/commands.cpp": text}, "CLI/CLI.hpp")
        self.refuses({"include/longformer/cli/options.h": text}, "CLI/CLI.hpp")
        self.refuses({"src/config/options.cpp": text}, "CLI/CLI.hpp")

    def test_refuses_private_headers_of_others(self):
        files = {"src/io/zip.h": ""}
        for name in ("../io/zip.h", "io/zip.h", "zip.h", "src/io/zip.h"):
            self.refuses(files | {"src/data/a.cpp": f'#include "{name}"\n'},
                         name)

    def test_refuses_private_headers_in_public_ones(self):
        self.refuses({"src/io/zip.h": "",
                      "include/longformer/io/archive.h": '#include "zip.h"\n'},
                     "zip.h")

    def test_refuses_more_than_the_cli_in_main(self):
        files = {"include/longformer/cli/run.h": "", **self.base}
        self.accepts(files | {
            "src/main.cpp": '#include "longformer/cli/run.h"\n'})
        self.refuses(files | {
            "src/main.cpp": '#include "longformer/base/error.h"\n'}, "main.cpp")

    def test_refuses_reading_the_environment(self):
        text = 'auto* x = std::getenv("X");\n'
        self.accepts({"src/launch/environment.cpp": text})
        self.refuses({"src/launch/rendezvous.cpp": text}, "environment")
        self.refuses({"src/train/trainer.cpp": text}, "environment")
        self.refuses({"src/train/trainer.cpp": "char** all = environ;\n"},
                     "environment")


class TextTest(CheckCase):
    script = "check_text.py"

    def test_accepts_plain_text(self):
        self.accepts({"a.cpp": "// TO" "DO(#12): faster\nint a;\n"})

    def test_refuses_a_marker_without_issue(self):
        for marker in ("TO" "DO: later", "FIX" "ME", "TO" "DO(me): later"):
            self.refuses({"src/a.cpp": f"// {marker}\n"}, "src/a.cpp:1")

    def test_refuses_paths_of_one_machine(self):
        for path in ("/home" "/somebody/x", "/Users" "/somebody", "/root" "/x"):
            self.refuses({"a.md": f"see `{path}`\n"}, "a.md:1")

    def test_accepts_paths_that_are_not_of_one_machine(self):
        self.accepts({"a.sh": 'x="$ROOT/home/y"; y=~/work/z\n'})

    def test_refuses_blanks_tabs_and_missing_newlines(self):
        self.refuses({"a.h": "int a; \n"}, "trailing blanks")
        self.refuses({"a.h": "\tint a;\n"}, "tab")
        self.refuses({"a.h": "int a;"}, "newline")

    def test_only_notes_long_files(self):
        self.accepts({"a.cpp": "int a;\n" * 600})

    def test_refuses_an_empty_tree(self):
        self.refuses({}, "0 files")


if __name__ == "__main__":
    unittest.main()
