#!/usr/bin/env python3
"""Compiles the public headers as C++17: headers.py ROOT [--torch] COMPILER [FLAG...]

Headers that include no LibTorch compile each by itself; with --torch the others compile in one source, after vescale.h.
"""
import subprocess
import sys
from pathlib import Path

from includes import is_torch_free


def compile_source(command, text):
    """The compiler's messages, empty if `text` compiles."""
    result = subprocess.run([*command, "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wno-unused-parameter",
                             "-pedantic-errors", "-x", "c++", "-"],
                            input=text, text=True, stderr=subprocess.PIPE, check=False)
    return "" if result.returncode == 0 else result.stderr


def main():
    root, *command = sys.argv[1:]
    with_torch = command[0] == "--torch"
    command = command[with_torch:]
    root = Path(root).resolve()
    command += ["-I", str(root / "include")]

    headers = sorted(path.relative_to(root).as_posix() for path in (root / "include").rglob("*.h"))
    if not headers:
        sys.exit(f"no headers in {root / 'include'}")
    free = [header for header in headers if is_torch_free(root, header)]
    sources = [(header, [header]) for header in free]
    if with_torch:
        rest = [header for header in headers if header not in free]
        sources.append(("vescale.h and all others", ["include/vescale/vescale.h", *rest]))

    failed = False
    for name, included in sources:
        # Twice: a header without a guard would fail.
        lines = [f"#include <{header.removeprefix('include/')}>\n" for header in included] * 2
        errors = compile_source(command, "".join(lines))
        if errors:
            failed = True
            print(f"{name} as C++17:\n{errors}", file=sys.stderr)
    print(f"{len(headers)} headers, {len(free)} of them without LibTorch")
    sys.exit(failed)


if __name__ == "__main__":
    main()
