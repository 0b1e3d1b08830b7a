"""Writes shapes.txt: calls with the sizes that LibTorch gives their results. Run it after changing calls.py.

A line is   op.overload TAB argument ... TAB => TAB sizes ...
An argument is f[2,3] (floating point), i[2,3] (integers), m[2,3] (a mask), {f[2],-} a list of tensors, n5 an integer,
y1 a boolean, N[1,2] integers, "text", or - for what is absent or does not matter.
"""

import pathlib

import torch

from calls import CALLS, arguments_in_order, operator, run


def sizes_text(tensor):
    return "[" + ",".join(map(str, tensor.shape)) + "]"


def tensor_text(tensor):
    if tensor is None:
        return "-"
    floating = tensor.is_floating_point() or tensor.is_complex()
    return ("f" if floating else "m" if tensor.dtype == torch.bool else "i") + sizes_text(tensor)


def argument_text(value, kind):
    if isinstance(value, torch.Tensor):
        return tensor_text(value)
    if isinstance(value, (list, tuple)) and "Tensor" in kind:
        return "{" + ",".join(map(tensor_text, value)) + "}"
    if any(word in kind for word in ("number", "Scalar", "float", "Generator", "ScalarType", "Device", "Layout")):
        return "-"
    if isinstance(value, bool):
        return f"y{int(value)}"
    if isinstance(value, int):
        return f"N[{value}]" if "List" in kind else f"n{value}"
    if isinstance(value, (list, tuple)):
        return "N[" + ",".join(map(str, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else "-"


def main():
    lines = []
    for name, given, named in CALLS:
        op = operator(name)
        values = arguments_in_order(op, given, named)
        texts = [argument_text(v, str(a.type)) for v, a in zip(values, op._schema.arguments)]
        results = [sizes_text(result) for result in run(op, values)]
        lines.append("\t".join([name.lstrip("!"), *texts, "=>", *results]))
    path = pathlib.Path(__file__).with_name("shapes.txt")
    path.write_text("\n".join(lines) + "\n")
    print(f"{len(lines)} calls in {path}")


if __name__ == "__main__":
    main()
