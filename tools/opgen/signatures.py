"""Turns a native function into its vescale C++ signatures and the one-line body that each has."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from torchgen.api.translate import translate
from torchgen.api.types import (
    Binding,
    CppSignature,
    CppSignatureGroup,
    DispatcherSignature,
    Expr,
    NamedCType,
    SpecialArgName,
)
from torchgen.context import native_function_manager
from torchgen.model import NativeFunction, SchemaKind, Variant

from surface import Op


@dataclasses.dataclass(frozen=True)
class CppFunction:
    """One C++ function: `result name(parameters)` with a body of one return statement."""

    result: str
    name: str
    declared: str  # parameters with defaults
    defined: str  # parameters without
    parameters: tuple[str, ...]  # their names
    body: str
    method: bool

    def declaration(self) -> str:
        return f"{self.result} {self.name}({self.declared}){' const' if self.method else ''};"

    def renamed(self, name: str) -> str:
        """A function of another name and the same parameters that calls this one."""
        call = f"{self.name}({', '.join(self.parameters)})"
        return f"{self.result} {name}({self.declared}) {{ return {call}; }}"

    def definition(self) -> str:
        owner = "DTensor::" if self.method else ""
        const = " const" if self.method else ""
        return f"{self.result} {owner}{self.name}({self.defined}){const} {{ {self.body} }}"


TYPES = [
    (r"const c10::List<::std::optional<at::Tensor>>\s*&", "const std::vector<std::optional<DTensor>>&"),
    (r"const at::ITensorListRef\s*&|at::ITensorListRef|at::TensorList", "c10::ArrayRef<DTensor>"),
    (r"\bat::Tensor\b", "DTensor"),
    (r"::std::", "std::"),
    (r"\s+&", "&"),
]


def vescale_type(text: str) -> str:
    """LibTorch's spelling of a type, parameter or parameter list with Tensor replaced by DTensor."""
    for pattern, replacement in TYPES:
        text = re.sub(pattern, replacement, text)
    return text


def bare(binding: Binding) -> str:
    return binding.nctype.type.remove_const_ref().cpp_type()


def argument(source: Binding | None, target: Binding, expr: str, factory: bool) -> str:
    """The expression for one argument of a call: sym(x) where integers become SymInts."""
    expr = expr.replace("const_cast<Tensor&>(*this)", "*this").replace("::std::", "std::")
    expr = expr.replace("out.layout()", "out.options().layout()")  # DTensor::layout() is the sharding layout
    if "SymInt" in bare(target) and source is not None and bare(source) != bare(target):
        return f"sym({source.name})"
    if factory and expr.startswith("c10::impl::check_tensor_options_and_extract_memory_format("):
        return expr.replace("(options,", "(without_grad(options),")
    return expr


def arguments_of(sig: CppSignature, targets: Sequence[Binding]) -> list[str]:
    """Expressions for the arguments of a call, in the order of `targets`, from the parameters of `sig`."""
    sources = sig.arguments()
    # torchgen gives the memory format of a function with tensor options a name of its own.
    formats = [Expr(s.name, NamedCType(SpecialArgName.possibly_redundant_memory_format, s.nctype.type))
               for s in sources if s.name == "memory_format"]
    exprs = translate([*sources, *formats], targets, method=sig.method)
    by_name = {s.name: s for s in sources}
    factory = not sig.method and any(bare(s) == "at::TensorOptions" for s in sources)
    return [argument(by_name.get(t.name), t, e.expr, factory) for t, e in zip(targets, exprs)]


def caller(f: NativeFunction) -> str:
    """Which of the runtime's three entry points runs the op."""
    kind = f.func.kind()
    return {SchemaKind.inplace: "call_inplace", SchemaKind.out: "call_out"}.get(kind, "call")


def special_signature(f: NativeFunction) -> CppSignature:
    """What hand-written implementations have: schema order, options expanded, self as a parameter."""
    return CppSignature(func=f.func, faithful=True, symint=False, method=False, cpp_no_default_args=set())


def special_declaration(f: NativeFunction) -> str:
    with native_function_manager(f):
        sig = special_signature(f)
        return vescale_type(sig.defn(name=f.func.name.unambiguous_name())) + ";"


def outs_of(f: NativeFunction) -> str:
    """The out argument, or a tuple of references to several."""
    outs = [a.name for a in f.func.arguments.out]
    return outs[0] if len(outs) == 1 else f"std::tie({', '.join(outs)})"


def call_expression(op: Op, sig: CppSignature) -> str:
    """What the function returns: a call of the runtime, or of the hand-written implementation."""
    f = op.function
    if op.special is None:
        arguments = arguments_of(sig, DispatcherSignature.from_schema(f.func).arguments())
        if f.func.kind() == SchemaKind.out:
            arguments.insert(0, outs_of(f))
        return f"{caller(f)}<at::_ops::{f.func.name.unambiguous_name()}>({', '.join(arguments)})"
    target = op.special
    arguments = arguments_of(sig, special_signature(target).arguments())
    if target.func.kind() == SchemaKind.inplace:
        arguments = ["const_cast<DTensor&>(*this)" if a == "*this" else a for a in arguments]
    call = f"special::{target.func.name.unambiguous_name()}({', '.join(arguments)})"
    return call if f.func.kind() != SchemaKind.out else f"assign_out({outs_of(f)}, {call})"


# Views by their schema, of which LibTorch gives a copy where a view is not possible or not asked for.
MAYBE_VIEWS = {"reshape", "reshape_as", "contiguous", "to", "type_as", "flatten", "ravel", "resolve_conj",
               "resolve_neg", "expand_as", "conj", "real", "imag", "positive", "coalesce", "pin_memory",
               "_autocast_to_full_precision", "_autocast_to_reduced_precision"}


def around(op: Op, sig: CppSignature, call: str) -> str:
    """Views remember what they view if they had to move; writes then reach it."""
    f = op.function
    self_argument = f.func.arguments.self_arg
    name = "*this" if sig.method else self_argument and self_argument.argument.name
    kind = f.func.kind()
    if kind == SchemaKind.inplace and not sig.decl(name="@").startswith("const"):
        return f"written({name}, [&]() -> DTensor& {{ return {call}; }})"
    if kind == SchemaKind.out and len(f.func.arguments.out) == 1 and op.special is None:
        return f"written({outs_of(f)}, [&]() -> DTensor& {{ return {call}; }})"
    if kind != SchemaKind.functional or op.special is not None or self_argument is None or len(f.func.returns) != 1:
        return call
    annotation = f.func.returns[0].annotation
    if annotation is None or self_argument.argument.annotation is None:
        return call
    return f"{'maybe_viewed' if str(f.func.name.name) in MAYBE_VIEWS else 'viewed'}({name}, {call})"


def body(op: Op, sig: CppSignature) -> str:
    f = op.function
    call = call_expression(op, sig)
    call = around(op, sig, call)
    has_options = not sig.method and not sig.faithful and f.func.arguments.tensor_options is not None
    if has_options and len(f.func.returns) == 1:
        call = f"with_grad({call}, options)"
    return f"return {call};" if f.func.returns else f"{call};"


def bindings(op: Op, variant: Variant) -> list[CppFunction]:
    """The C++ functions (or methods) of an op: LibTorch's overloads without the SymInt ones."""
    f = op.function
    if variant not in f.variants:
        return []
    method = variant == Variant.method
    with native_function_manager(f):
        signatures = CppSignatureGroup.from_native_function(f, method=method).signatures(symint=False)
        return [CppFunction(result=vescale_type(sig.decl(name="@").split(" @(")[0]),
                            name=sig.name(),
                            declared=vescale_type(", ".join(a.decl() for a in sig.arguments())),
                            defined=vescale_type(", ".join(a.defn() for a in sig.arguments())),
                            parameters=tuple(a.name for a in sig.arguments()),
                            body=body(op, sig),
                            method=method) for sig in signatures]
