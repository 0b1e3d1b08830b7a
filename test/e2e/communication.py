"""Counts what a training step of charlm communicates and compares with what it must.

Per step, on p ranks, with 8-byte numbers, L blocks, an activation of n = batch * seq * dim numbers:
  tensor parallel    4 L all_reduces of n: two a block forward, two backward (Megatron-LM, 2019, section 3)
  sequence parallel  4 all_gathers and 4 reduce_scatters of n a block, half of them backward (Megatron-LM, 2022,
                     section 4.2.2): what one block more adds
  data parallel      each parameter's gradient once, in one bucket; and two scalars: the number of targets, and the
                     loss that is printed
What a rank receives in a ring counts: 2 (p - 1) / p b for an all_reduce of b bytes, half of that for an all_gather or a
reduce_scatter.
"""

import os
import re
import subprocess
import sys
import tempfile

import torch

LAYERS, BATCH, SEQ, DIM = 2, 8, 16, 32
SCALARS = 2


def measured(program: str, mesh: str, steps: int, save: str | None = None, layers: int = LAYERS) -> dict[tuple[str, str], tuple[int, int]]:
    command = [program, "--mesh", mesh, "--steps", str(steps), "--generate", "0", "--dtype", "float64",
               "--layers", str(layers), "--batch", str(BATCH), "--seq", str(SEQ), "--dim", str(DIM)]
    done = subprocess.run(command + (["--save", save] if save else []), capture_output=True, text=True, timeout=120,
                          env=os.environ | {"VESCALE_COMM_STATS": "1"}, check=True)
    rows = re.findall(r"^(\w+) +(\S+) +(\d+) +(\d+)$", done.stderr, re.MULTILINE)
    return {(kind, axes): (int(count), int(number)) for kind, axes, count, number in rows}


def per_step(program: str, mesh: str, layers: int = LAYERS) -> dict[tuple[str, str], tuple[int, int]]:
    one, three = measured(program, mesh, 1, layers=layers), measured(program, mesh, 3, layers=layers)
    assert one.keys() == three.keys(), (one, three)
    return {key: tuple((t - o) // 2 for o, t in zip(one[key], three[key])) for key in one}


def parameter_bytes(program: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        measured(program, "dp=1", 1, save=f"{folder}/model.pt")
        return 8 * sum(p.numel() for p in torch.jit.load(f"{folder}/model.pt").parameters())


def per_block(program: str, mesh: str, kinds: tuple[str, ...]) -> dict[tuple[str, str], tuple[int, int]]:
    fewer, more = per_step(program, mesh), per_step(program, mesh, LAYERS + 1)
    return {key: tuple(m - f for f, m in zip(fewer[key], more[key])) for key in fewer if key[0] in kinds}


def check(mesh: str, found: dict, expected: dict) -> bool:
    print(f"{mesh}: {'as it must be' if found == expected else f'found {found}, expected {expected}'}")
    return found == expected


def main() -> int:
    program, sequence_parallel = sys.argv[1:]
    weights = parameter_bytes(program)
    good = True
    for p in (2, 4):
        ring = 2 * (p - 1) / p
        tensor = (4 * LAYERS, int(4 * LAYERS * ring * 8 * BATCH * SEQ * DIM))
        data = (1 + SCALARS, int(ring * (weights + SCALARS * 8)))
        good &= check(f"tp={p}", per_step(program, f"tp={p}"), {("all_reduce", "tp"): tensor})
        good &= check(f"dp={p}", per_step(program, f"dp={p}"), {("all_reduce", "dp"): data})
        pieces = (4, int(4 * ring / 2 * 8 * BATCH * SEQ * DIM))
        found = per_block(sequence_parallel, f"tp={p}", ("all_gather", "reduce_scatter"))
        good &= check(f"sequence tp={p}", found, {("all_gather", "tp"): pieces, ("reduce_scatter", "tp"): pieces})
    good &= check("dp=1", per_step(program, "dp=1"), {})
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
