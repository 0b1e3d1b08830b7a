"""Reads the operators that LibTorch declares, through the torchgen package of the torch wheel."""

from __future__ import annotations

import dataclasses
import functools
import pathlib

import torchgen
import yaml
from torchgen.gen import parse_native_yaml
from torchgen.model import NativeFunction, SchemaKind, Variant

HERE = pathlib.Path(__file__).resolve().parent


@functools.cache
def native_functions() -> tuple[NativeFunction, ...]:
    """Every operator of native_functions.yaml, generated variants included, in the order of the file."""
    folder = pathlib.Path(torchgen.__file__).parent / "packaged/ATen/native"
    parsed = parse_native_yaml(str(folder / "native_functions.yaml"), str(folder / "tags.yaml"))
    return tuple(parsed.native_functions)


def names_dims(f: NativeFunction) -> bool:
    """Whether an argument is a Dimname: named tensors are not part of the surface."""
    return any("Dimname" in str(a.type) for a in f.func.schema_order_arguments())


def base_name(f: NativeFunction) -> str:
    """The operator's name with in-place and out variants folded: add for add, add_ and add.out."""
    name = f.func.name.name
    return str(name) if name.dunder_method else str(name).removesuffix("_")


def is_internal(f: NativeFunction) -> bool:
    """Whether the name begins with an underscore and is not one of Python's operators."""
    return str(f.func.name.name).startswith("_") and not f.func.name.name.dunder_method


def read_data(name: str):
    """One of the YAML files beside this one."""
    return yaml.safe_load((HERE / name).read_text())


@dataclasses.dataclass(frozen=True)
class Op:
    """An operator of the surface; `special`: the one whose hand-written implementation it calls, if any."""

    function: NativeFunction
    special: NativeFunction | None = None


@functools.cache
def left_out() -> dict[str, str]:
    """Names (with or without overload) that get no generated function, with the reason."""
    data = read_data("handwritten.yaml")
    groups = data["handwritten"] + data["unsupported"]
    return {name: group["reason"] for group in groups for name in group["names"]}


@functools.cache
def internal_parts_left_out() -> dict[str, str]:
    groups = read_data("handwritten.yaml")["internals_left_out"]
    return {part: group["reason"] for group in groups for part in group["parts"]}


def reason_left_out(f: NativeFunction) -> str | None:
    """Why an operator is not part of the generated surface; None if it is."""
    if names_dims(f):
        return "named tensors"
    if "generated" in f.tags:
        return "variant that LibTorch generates for its own functionalization"
    listed = left_out().get(str(f.func.name), left_out().get(str(f.func.name.name)))
    if listed is None and not f.func.returns:
        return "gives no result: an internal that checks, prints or writes to lists of tensors"
    if listed is None and is_internal(f):
        name = str(f.func.name.name)
        return next((reason for part, reason in internal_parts_left_out().items() if part in name), None)
    return listed


@functools.cache
def special_functions() -> dict[str, NativeFunction]:
    """The hand-written operators of special.yaml by name.overload."""
    listed = {name for group in read_data("special.yaml").values() for name in group}
    found = {}
    used = set()
    for f in native_functions():
        name, plain = str(f.func.name), str(f.func.name.name)
        if f.func.kind() == SchemaKind.out or reason_left_out(f) is not None:
            continue
        if name in listed or plain in listed:
            found[name] = f
            used.add(name if name in listed else plain)
    if listed - used:
        raise SystemExit(f"opgen: special.yaml names no operator: {', '.join(sorted(listed - used))}")
    return found


@functools.cache
def ops() -> tuple[Op, ...]:
    """The generated surface: everything public in LibTorch's C++ interface that reason_left_out lets in."""
    # A tensor that is written into exists, so out variants have nothing to do with construction.
    construction = set(read_data("special.yaml")["construction"])
    by_signature = {f.func.signature(): f for name, f in special_functions().items()
                    if f.func.kind() != SchemaKind.inplace and not {name, str(f.func.name.name)} & construction}
    result = []
    for f in native_functions():
        if reason_left_out(f) is not None or not f.variants & {Variant.function, Variant.method}:
            continue
        special = special_functions().get(str(f.func.name))
        if f.func.kind() == SchemaKind.out:
            special = by_signature.get(f.func.signature())
        result.append(Op(f, special))
    return tuple(result)
