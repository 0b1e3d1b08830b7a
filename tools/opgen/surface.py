"""Reads the operators that LibTorch declares, through the torchgen package of the torch wheel."""

from __future__ import annotations

import functools
import pathlib

import torchgen
import yaml
from torchgen.gen import parse_native_yaml
from torchgen.model import NativeFunction

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


def read_data(name: str):
    """One of the YAML files beside this one."""
    return yaml.safe_load((HERE / name).read_text())
