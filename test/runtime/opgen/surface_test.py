"""The generated surface is LibTorch's: counted against torchgen's model and the headers of the wheel."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools/opgen"))

import torchgen  # noqa: E402
from torchgen.model import SchemaKind, Variant  # noqa: E402

import emit  # noqa: E402
import signatures  # noqa: E402
import surface  # noqa: E402
import tables  # noqa: E402

ATEN = pathlib.Path(torchgen.__file__).resolve().parents[1] / "torch/include/ATen"


def generated(variant):
    return [b for op in surface.ops() for b in signatures.bindings(op, variant)]


def bindings_exist(op):
    return Variant.function in op.function.variants


def left_out_names():
    """C++ names of operators with a recorded reason, out variants under both their names."""
    names = set()
    for f in surface.native_functions():
        if surface.reason_left_out(f) is not None:
            name = str(f.func.name.name)
            names |= {name, f"{name}_out", f"{name}_outf"}
    return names


class Surface(unittest.TestCase):
    def test_functions_are_all_there(self):
        public = [f for f in surface.native_functions()
                  if Variant.function in f.variants and not surface.is_internal(f)]
        kept = [f for f in public if surface.reason_left_out(f) is None]
        self.assertGreaterEqual(len(kept), 1480)
        self.assertEqual({f.func.name for f in kept},
                         {op.function.func.name for op in surface.ops()
                          if bindings_exist(op) and not surface.is_internal(op.function)})

    def test_methods_are_all_there(self):
        kept = {str(op.function.func.name) for op in surface.ops() if Variant.method in op.function.variants}
        left = {str(f.func.name): surface.reason_left_out(f) for f in surface.native_functions()
                if Variant.method in f.variants and str(f.func.name) not in kept}
        self.assertGreaterEqual(len(kept) + len(left), 720)
        self.assertGreaterEqual(len(generated(Variant.method)), 670)
        self.assertTrue(all(left.values()), left)

    def test_every_function_name_of_the_headers_is_known(self):
        names = set()
        for header in (ATEN / "ops").glob("*.h"):
            if not header.stem.endswith(("_native", "_ops", "_dispatch", "_meta")):
                names |= set(re.findall(r"^inline [^(]*?\b(\w+)\(", header.read_text(), re.MULTILINE))
        self.assertGreater(len(names), 1400)
        names = {n for n in names if "_symint" not in n and not n.startswith("__dispatch_")}
        names -= {"for_blob", "from_blob", "noopDelete"}  # wrap memory of the host; no operators
        self.assertEqual(names - {b.name for b in generated(Variant.function)} - left_out_names(), set())

    def test_every_method_name_of_tensor_body_is_known(self):
        text = (ATEN / "core/TensorBody.h").read_text()
        result = r"(?:const )?(?:at::\w+|::std::\w+<[^()]*>|bool|int64_t|void)(?: &)?"
        names = set(re.findall(rf"^  {result} (\w+)\([^;{{]*\) const;", text, re.MULTILINE))
        self.assertGreater(len(names), 550)
        names = {n.removeprefix("__dispatch_") for n in names if "_symint" not in n}
        self.assertEqual(names - {b.name for b in generated(Variant.method)} - left_out_names(), set())

    def test_no_two_functions_have_the_same_parameters(self):
        for variant in (Variant.function, Variant.method):
            seen = set()
            for b in generated(variant):
                types = ", ".join(p.rsplit(" ", 1)[0] for p in b.defined.split(", "))
                self.assertNotIn((b.name, types), seen)
                seen.add((b.name, types))

    def test_random_ops_are_written_by_hand(self):
        plain = {str(op.function.func.name.name) for op in surface.ops()
                 if "nondeterministic_seeded" in op.function.tags and op.special is None}
        self.assertEqual(plain, {"lstm", "gru", "rnn_tanh", "rnn_relu", "miopen_rnn"})

    def test_out_variants_of_hand_written_ops_use_them(self):
        out = next(op for op in surface.ops() if str(op.function.func.name) == "mse_loss.out")
        self.assertEqual(out.function.func.kind(), SchemaKind.out)
        body = signatures.bindings(out, Variant.function)[0].body
        self.assertEqual(body, "return assign_out(out, special::mse_loss(self, target, reduction));")

    def test_reasons_name_operators(self):
        known = {n for f in surface.native_functions() for n in (str(f.func.name), str(f.func.name.name))}
        self.assertEqual(set(surface.left_out()) - known, set())

    def test_parts_share_out_everything_in_order(self):
        self.assertEqual([op for part in emit.parts(7) for op in part], list(surface.ops()))


class Tables(unittest.TestCase):
    def test_checked_in_tables_are_up_to_date(self):
        self.assertEqual(tables.stale_tables(ROOT), [])

    def test_pointwise_names(self):
        names = tables.pointwise_names()
        for name in ("add", "relu", "where.self", "max.other", "masked_fill", "gelu_backward"):
            self.assertIn(name, names)
        for name in ("equal", "max", "rrelu", "sum", "dropout", "where"):
            self.assertNotIn(name, names)
        known = {surface.base_name(f) for f in surface.native_functions()}
        known |= {str(f.func.name) for f in surface.native_functions()}
        self.assertEqual(set(names) - known, set())

    def test_schema_lines(self):
        text = tables.schema_table()
        self.assertIn('VESCALE_SCHEMA("add.Tensor", "self:T other:T alpha:s=1", "T")\n', text)
        self.assertIn('VESCALE_SCHEMA("index.Tensor", "self:T indices:T?[]", "T")\n', text)
        self.assertIn('VESCALE_SCHEMA("max.dim", "self:T dim:i keepdim:b=False", "T T")\n', text)


if __name__ == "__main__":
    unittest.main()
