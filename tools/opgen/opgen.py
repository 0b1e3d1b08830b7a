#!/usr/bin/env python3
"""Writes the vescale op surface from the operators that the installed LibTorch declares.

    opgen.py tables [--check]              the checked-in tables in lib/Sharding/Rules
    opgen.py sources --include DIR --source DIR --count N    headers and definitions, at build time
    opgen.py special                       print the declarations that runtime/ops/special must define
"""

from __future__ import annotations

import argparse
import pathlib
import sys

import emit
import tables

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run_tables(check: bool) -> int:
    if not check:
        tables.write_tables(ROOT)
        return 0
    stale = tables.stale_tables(ROOT)
    for name in stale:
        print(f"opgen: {tables.RULES / name} is out of date: run opgen.py tables", file=sys.stderr)
    return 1 if stale else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Generates the vescale op surface.")
    commands = parser.add_subparsers(dest="command", required=True)
    table_parser = commands.add_parser("tables", help="write the checked-in tables")
    table_parser.add_argument("--check", action="store_true", help="only tell whether they are up to date")
    source_parser = commands.add_parser("sources", help="write headers and definitions")
    source_parser.add_argument("--include", type=pathlib.Path, required=True, help="folder of the headers")
    source_parser.add_argument("--source", type=pathlib.Path, required=True, help="folder of the definitions")
    source_parser.add_argument("--count", type=int, required=True, help="number of sources")
    commands.add_parser("special", help="print what must be written by hand")
    arguments = parser.parse_args()
    if arguments.command == "sources":
        emit.write_sources(arguments.include, arguments.source, arguments.count)
        return 0
    if arguments.command == "special":
        print(emit.special_header(), end="")
        return 0
    return run_tables(arguments.check)


if __name__ == "__main__":
    sys.exit(main())
