"""Runs a plain program and its rewritten twin on several meshes and compares all that they print and save.

Losses may differ by 1e-10 relative, saved parameters by 1e-10 of the largest; every other line is the same. On one rank
the output is the same byte for byte, and with --same-file the saved file too.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import torch

LOSS = re.compile(r"step (\d+) loss (\S+)$")
TOLERANCE = 1e-10


def run(command: list[str], cwd: str) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nexit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def compare_output(expected: str, actual: str) -> tuple[list[str], float]:
    """Problems, and the largest relative difference of a loss."""
    problems, largest = [], 0.0
    expected_lines, actual_lines = expected.splitlines(), actual.splitlines()
    if len(expected_lines) != len(actual_lines):
        problems.append(f"{len(expected_lines)} lines expected, {len(actual_lines)} printed")
    for e, a in zip(expected_lines, actual_lines):
        loss_e, loss_a = LOSS.match(e), LOSS.match(a)
        if not loss_e or not loss_a or loss_e[1] != loss_a[1]:
            if e != a:
                problems.append(f"expected {e!r}, printed {a!r}")
            continue
        difference = abs(float(loss_e[2]) - float(loss_a[2])) / abs(float(loss_e[2]))
        largest = max(largest, difference)
        # Not "> TOLERANCE": a NaN is a problem too.
        if not difference <= TOLERANCE:
            problems.append(f"expected {e!r}, printed {a!r}")
    return problems, largest


def saved_tensors(path: pathlib.Path) -> dict[str, torch.Tensor]:
    module = torch.jit.load(str(path))
    return dict(module.named_parameters()) | dict(module.named_buffers())


def compare_files(expected: pathlib.Path, actual: pathlib.Path) -> list[str]:
    wanted, found = saved_tensors(expected), saved_tensors(actual)
    problems = [f"the saved names differ: {sorted(wanted.keys() ^ found.keys())}"] if wanted.keys() != found.keys() else []
    for name in wanted.keys() & found.keys():
        scale = max(wanted[name].abs().max().item(), 1e-3)
        difference = (wanted[name] - found[name]).abs().max().item()
        if not difference <= TOLERANCE * scale:
            problems.append(f"saved {name} differs by {difference:g}")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plain", required=True)
    parser.add_argument("--rewritten", required=True)
    parser.add_argument("--meshes", nargs="+", required=True)
    parser.add_argument("--launcher", help="vescale-run: each rank is a process, not a thread")
    parser.add_argument("--cwd", required=True)
    parser.add_argument("--same-file", action="store_true")
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        plain_file = pathlib.Path(folder) / "plain.pt"
        # The archive's folder inside the file is named after the file, so both get the same name.
        expected = run([options.plain, *options.arguments, "--save", str(plain_file)], options.cwd)
        for index, mesh in enumerate(options.meshes):
            (pathlib.Path(folder) / str(index)).mkdir()
            file = pathlib.Path(folder) / str(index) / "plain.pt"
            start = [options.launcher, "--mesh", mesh, options.rewritten] if options.launcher else [options.rewritten, "--mesh", mesh]
            actual = run([*start, *options.arguments, "--save", str(file)], options.cwd)
            problems, largest = compare_output(expected, actual)
            problems += compare_files(plain_file, file)
            if all(size == "1" for size in re.findall(r"=(\d+)", mesh)):
                if actual != expected:
                    problems.append("one rank prints something else")
                if options.same_file and file.read_bytes() != plain_file.read_bytes():
                    problems.append("one rank saves another file")
            print(f"{mesh}: largest relative difference of a loss {largest:.1e}" + "".join(f"\n  {p}" for p in problems))
            failed |= bool(problems)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
