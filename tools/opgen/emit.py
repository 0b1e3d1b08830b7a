"""Writes the generated headers and sources."""

from __future__ import annotations

import pathlib

from torchgen.model import Variant

from signatures import CppFunction, bindings, special_declaration
from surface import Op, is_internal, ops, special_functions

HEADER = "// Written by tools/opgen at build time; do not edit.\n"


def header(what: str, include: str, body: str) -> str:
    return f"#pragma once\n{HEADER}/// {what}.\n#include <vescale/{include}>\n\n{body}"


def namespaced(lines: list[str], space: str = "vescale") -> str:
    return f"namespace {space} {{\n\n" + "\n".join(lines) + f"\n\n}}  // namespace {space}\n"


def functions(op: Op) -> list[CppFunction]:
    return bindings(op, Variant.function)


def functions_header(internal: bool) -> str:
    """ops.h, or ops_internal.h for names that begin with an underscore."""
    what = ("LibTorch's internal operators (names that begin with an underscore)" if internal
            else "LibTorch's operators as functions of DTensors, under LibTorch's names and signatures")
    lines = [b.declaration() for op in ops() if is_internal(op.function) == internal for b in functions(op)]
    return header(what, "dtensor.h", namespaced(lines))


NAMESPACES = ("linalg", "fft", "special")


def namespaces_header() -> str:
    """namespaces.h: linalg::, fft:: and special:: functions, the same as those with the prefix."""
    parts = []
    for space in NAMESPACES:
        prefix = f"{space}_"
        members = [b for op in ops() for b in functions(op) if b.name.startswith(prefix)]
        lines = [f"inline {b.renamed(b.name.removeprefix(prefix))}" for b in members]
        parts.append(namespaced(lines, f"vescale::{space}"))
    return header("LibTorch's linalg, fft and special namespaces", "generated/ops.h", "\n".join(parts))


def methods_include() -> str:
    """methods.inc: the body of class DTensor includes it."""
    return HEADER + "".join(b.declaration() + "\n" for op in ops() for b in bindings(op, Variant.method))


def special_header() -> str:
    """special.h: what runtime/ops/special implements by hand."""
    lines = [special_declaration(f) for f in special_functions().values()]
    return header("Operators with a hand-written implementation", "dtensor.h", namespaced(lines, "vescale::special"))


def source(part: list[Op]) -> str:
    """Definitions of some operators: an operator's functions and methods share its instantiation of call<Op>."""
    includes = "".join(f"#include {name}\n" for name in (
        "<torch/torch.h>", "<vescale/generated/ops.h>", "<vescale/generated/ops_internal.h>",
        "<vescale/generated/special.h>", '"ops/call.h"', '"ops/generated_support.h"'))
    lines = [b.definition() for op in part for b in functions(op) + bindings(op, Variant.method)]
    return HEADER + includes + "\n" + namespaced(lines)


def parts(count: int) -> list[list[Op]]:
    """The operators in `count` runs of equal length."""
    everything = ops()
    bounds = [len(everything) * i // count for i in range(count + 1)]
    return [list(everything[a:b]) for a, b in zip(bounds, bounds[1:])]


def write_if_changed(path: pathlib.Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def write_sources(include: pathlib.Path, sources: pathlib.Path, count: int) -> None:
    write_if_changed(include / "ops.h", functions_header(internal=False))
    write_if_changed(include / "ops_internal.h", functions_header(internal=True))
    write_if_changed(include / "namespaces.h", namespaces_header())
    write_if_changed(include / "methods.inc", methods_include())
    write_if_changed(include / "special.h", special_header())
    for i, part in enumerate(parts(count)):
        write_if_changed(sources / f"ops_{i}.cpp", source(part))
