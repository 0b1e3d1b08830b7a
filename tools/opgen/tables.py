"""Torch-free tables that lib/Sharding compiles in: which ops are pointwise, and every op's arguments."""

from __future__ import annotations

import pathlib

from torchgen.model import (
    Argument,
    BaseTy,
    BaseType,
    ListType,
    NativeFunction,
    OptionalType,
    SchemaKind,
    Type,
)

from surface import base_name, names_dims, native_functions, read_data

RULES = pathlib.Path("lib/Sharding/Rules")
HEADER = "// Written by tools/opgen/opgen.py tables; do not edit.\n"

KINDS = {
    BaseTy.Tensor: "T",
    BaseTy.int: "i",
    BaseTy.SymInt: "i",
    BaseTy.DeviceIndex: "i",
    BaseTy.bool: "b",
    BaseTy.SymBool: "b",
    BaseTy.float: "f",
    BaseTy.Scalar: "s",
    BaseTy.str: "str",
    BaseTy.Generator: "g",
    BaseTy.ScalarType: "d",
    BaseTy.MemoryFormat: "m",
    BaseTy.Layout: "layout",
    BaseTy.Device: "device",
    BaseTy.Dimname: "dimname",
    BaseTy.Storage: "storage",
    BaseTy.Stream: "stream",
    BaseTy.QScheme: "qscheme",
}


def kind(t: Type) -> str:
    """The short name of a schema type: T, T?, T[], i, i?, i[] and so on."""
    if isinstance(t, OptionalType):
        return kind(t.elem) + "?"
    if isinstance(t, ListType):
        return kind(t.elem) + "[]"
    assert isinstance(t, BaseType), t
    return KINDS[t.name]


def returns(f: NativeFunction) -> str:
    return " ".join(kind(r.type) for r in f.func.returns)


def pointwise_names() -> list[str]:
    """Base names all of whose overloads are pointwise, and name.overload where only some are."""
    data = read_data("pointwise.yaml")
    excluded, extra = set(data["not_pointwise"]), set(data["also_pointwise"])
    tagged: dict[str, list[NativeFunction]] = {}
    untagged: set[str] = set()
    for f in native_functions():
        if "pointwise" in f.tags:
            tagged.setdefault(base_name(f), []).append(f)
        elif f.func.kind() == SchemaKind.functional:
            untagged.add(base_name(f))
    names = set(extra)
    for base, functions in tagged.items():
        if base in excluded or base in extra:
            continue
        if base not in untagged:
            names.add(base)
            continue
        names.update(f"{base}.{f.func.name.overload_name}" for f in functions
                     if f.func.kind() == SchemaKind.functional)
    return sorted(names)


def pointwise_table() -> str:
    head = HEADER + (
        "// Ops whose output elements depend on one element of each broadcast input alone. In-place and out\n"
        "// variants share the functional name; name.overload where other overloads are not pointwise.\n")
    return head + "".join(f'VESCALE_POINTWISE("{name}")\n' for name in pointwise_names())


def schema_line(f: NativeFunction) -> str:
    """name.overload, arguments as name:kind in schema order (out arguments marked out!), and return kinds."""
    outs = {a.name for a in f.func.arguments.out}

    def one(a: Argument) -> str:
        default = "" if a.default is None else "=" + a.default.replace(" ", "").replace('"', "'")
        return f"{a.name}:{'out!' if a.name in outs else ''}{kind(a.type)}{default}"

    arguments = " ".join(one(a) for a in f.func.schema_order_arguments())
    return f'VESCALE_SCHEMA("{f.func.name}", "{arguments}", "{returns(f)}")\n'


def schema_table() -> str:
    head = HEADER + (
        "// Every op that LibTorch's C++ interface has: name.overload, its arguments in order as name:kind, its\n"
        "// results' kinds. T tensor, i int, b bool, f double, s scalar, d dtype, m memory format, g generator,\n"
        "// str string; ? may be absent, [] list of, =value is the default, out! an out argument.\n")
    lines = [schema_line(f) for f in native_functions() if not names_dims(f)]
    return head + "".join(sorted(lines))


TABLES = {"Pointwise.def": pointwise_table, "AtenSchemas.def": schema_table}


def stale_tables(root: pathlib.Path) -> list[str]:
    """The checked-in tables that differ from what this LibTorch gives."""
    def current(name: str) -> str:
        path = root / RULES / name
        return path.read_text() if path.exists() else ""
    return [name for name, make in TABLES.items() if current(name) != make()]


def write_tables(root: pathlib.Path) -> None:
    (root / RULES).mkdir(parents=True, exist_ok=True)
    for name, make in TABLES.items():
        (root / RULES / name).write_text(make())
