#!/usr/bin/env python3
"""Checks which part of the project includes which: includes.py ROOT, or includes.py --self-test."""
import re
import sys
import tempfile
from pathlib import Path

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
SUFFIXES = {".h", ".cpp", ".inc", ".def"}
SEARCHED = ("include", "lib", "runtime")

TORCH = ("torch/", "ATen/", "c10/", "caffe2/")
CLANG = ("clang/", "clang-c/", "llvm/", "llvm-c/")
BASE = ("include/vescale/sharding/", "include/vescale/error.h")
SHARDING = BASE + ("lib/Sharding/",)
PLAN = SHARDING + ("lib/Plan/",)
INFERENCE = PLAN + ("lib/Inference/", "lib/Frontend/Facts.h")
COMM = INFERENCE + ("lib/Comm/",)
REWRITE = COMM + ("lib/Rewrite/", "lib/Report/", "lib/Frontend/")

# Files below the first path may include, of the project, what begins with the second; the first match decides.
# The last two say whether LibTorch's and clang's headers may be included.
LAYERS = (
    ("lib/Sharding/", SHARDING, False, False),
    ("lib/Plan/", PLAN, False, False),
    ("lib/Frontend/", BASE + ("lib/Frontend/",), False, True),
    ("lib/Inference/", INFERENCE, False, False),
    ("lib/Comm/", COMM, False, False),
    ("lib/Report/", COMM + ("lib/Report/",), False, False),
    ("lib/Rewrite/", REWRITE, False, True),
    ("lib/", BASE, False, False),
    ("include/vescale/annotate.h", (), False, False),
    ("include/vescale/sharding/", BASE, False, False),
    ("include/vescale/error.h", (), False, False),
    ("include/", ("include/",), True, False),
    ("runtime/", ("include/", "runtime/", "lib/Sharding/", "lib/Plan/"), True, False),
    ("tools/", REWRITE + ("tools/",), False, True),
)


def includes_of(file):
    return INCLUDE.findall(file.read_text(encoding="utf-8"))


def resolve(root, file, quote, name):
    """The included file, relative to `root`, or None if it is not the project's."""
    if name.startswith("vescale/generated/"):  # made at build time
        return "include/" + name
    folders = [root / folder for folder in SEARCHED]
    if quote == '"':
        folders.insert(0, file.parent)
    for folder in folders:
        path = (folder / name).resolve()
        if path.is_file() and path.is_relative_to(root):
            return path.relative_to(root).as_posix()
    return None


def layer_of(relative):
    return next((layer for layer in LAYERS if relative.startswith(layer[0])), None)


def project_files(root):
    for folder in ("include", "lib", "runtime", "tools"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in SUFFIXES and file.is_file():
                yield file


def problems(root):
    root = Path(root).resolve()
    found = []
    for file in project_files(root):
        relative = file.relative_to(root).as_posix()
        layer, allowed, torch, clang = layer_of(relative)
        for quote, name in includes_of(file):
            target = resolve(root, file, quote, name)
            if target is not None:
                if not target.startswith(allowed or ("\0",)):
                    found.append(f"{relative}: may not include {target}")
            elif quote == '"':
                found.append(f'{relative}: "{name}" is not a file of the project')
            elif name.startswith(TORCH) and not torch:
                found.append(f"{relative}: {layer} is free of LibTorch, but <{name}> is included")
            elif name.startswith(CLANG) and not clang:
                found.append(f"{relative}: {layer} is free of clang and LLVM, but <{name}> is included")
            elif relative == "include/vescale/annotate.h":
                found.append(f"{relative}: includes nothing, but <{name}> is included")
    return found


def is_torch_free(root, header, seen=None):
    """Whether neither `header` nor a project file that it includes includes LibTorch."""
    seen = set() if seen is None else seen
    seen.add(header)
    for quote, name in includes_of(root / header):
        target = resolve(root, root / header, quote, name)
        if target is None:
            if name.startswith(TORCH):
                return False
        elif target.startswith("include/vescale/generated/"):
            return False
        elif target not in seen and not is_torch_free(root, target, seen):
            return False
    return True


# A file, one include of it, and whether that is allowed.
CASES = (
    ("lib/Sharding/a.cpp", '"Sharding/b.h"', True),
    ("lib/Sharding/a.cpp", '"b.h"', True),
    ("lib/Sharding/a.cpp", "<vescale/sharding/layout.h>", True),
    ("lib/Sharding/a.cpp", "<vector>", True),
    ("lib/Sharding/a.cpp", '"Plan/b.h"', False),
    ("lib/Sharding/a.cpp", "<torch/torch.h>", False),
    ("lib/Sharding/a.cpp", "<vescale/dtensor.h>", False),
    ("lib/Sharding/a.cpp", '"mesh/b.h"', False),
    ("lib/Sharding/a.cpp", '"../../runtime/mesh/b.h"', False),
    ("lib/Sharding/a.cpp", '"missing.h"', False),
    ("lib/Plan/a.cpp", '"Sharding/b.h"', True),
    ("lib/Plan/a.cpp", "<clang/AST/Decl.h>", False),
    ("lib/Inference/a.cpp", '"Frontend/Facts.h"', True),
    ("lib/Inference/a.cpp", '"Frontend/b.h"', False),
    ("lib/Comm/a.cpp", '"Inference/b.h"', True),
    ("lib/Inference/a.cpp", '"Comm/b.h"', False),
    ("lib/Report/a.cpp", '"Rewrite/b.h"', False),
    ("lib/Frontend/a.cpp", "<clang/AST/Decl.h>", True),
    ("lib/Frontend/a.cpp", "<ATen/ATen.h>", False),
    ("lib/Frontend/a.cpp", '"Sharding/b.h"', False),
    ("lib/Rewrite/a.cpp", "<llvm/ADT/StringRef.h>", True),
    ("lib/Rewrite/a.cpp", "  <vescale/dtensor.h>", False),
    ("runtime/mesh/a.cpp", '"Plan/b.h"', True),
    ("runtime/mesh/a.cpp", '"Comm/b.h"', False),
    ("runtime/mesh/a.cpp", "<vescale/generated/ops.h>", True),
    ("include/vescale/dtensor.h", '"tensor/b.h"', False),
    ("include/vescale/dtensor.h", "<torch/torch.h>", True),
    ("include/vescale/sharding/layout.h", "<c10/util/Half.h>", False),
    ("include/vescale/annotate.h", "<vector>", False),
    ("tools/vescale-rewrite/main.cpp", '"Rewrite/b.h"', True),
    ("tools/vescale-rewrite/main.cpp", '"mesh/b.h"', False),
)


def self_test():
    """Every case in a tree of its own, in which all files that a case names are there."""
    others = [f"lib/{name}/b.h" for name in ("Sharding", "Plan", "Inference", "Comm", "Report", "Rewrite", "Frontend")]
    others += ["lib/Frontend/Facts.h", "runtime/mesh/b.h", "runtime/tensor/b.h", "include/vescale/dtensor.h",
               "include/vescale/sharding/layout.h"]
    wrong = []
    for file, included, allowed in CASES:
        with tempfile.TemporaryDirectory() as folder:
            for path in others:
                (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
                (Path(folder) / path).write_text("#pragma once\n")
            path = Path(folder) / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"#include {included}\n")
            found = problems(folder)
            # One finding, of this file, or none.
            if [f.split(":")[0] for f in found] != ([] if allowed else [file]):
                wrong.append(f"{file} with {included}: expected {'nothing' if allowed else 'a finding'}, got {found}")
    return wrong


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = self_test() if sys.argv[1] == "--self-test" else problems(sys.argv[1])
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
