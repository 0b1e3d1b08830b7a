"""Shows an example before and after vescale-rewrite: the diff, the losses of both, and what was communicated.

Runs the plain program on one device and the rewritten one on a mesh of thread ranks, both in float64.
"""
import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Example: its source, its plan if it has one, and arguments of its programs.
EXAMPLES = {
    "digits": ("digits/digits.cpp", None, ["--data", "data/digits.csv"]),
    "charlm": ("charlm/charlm.cpp", "charlm/plan_tp.json", []),
    "charlm_sp": ("charlm/charlm.cpp", "charlm/plan_sp.json", []),
}
TOLERANCE = 1e-10


class DemoError(Exception):
    pass


def run(command, environment=None, accept=(0,)):
    """Runs a command in the project root and returns what it printed to standard output and standard error."""
    command = [str(part) for part in command]
    try:
        done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, env={**os.environ, **(environment or {})})
    except FileNotFoundError:
        raise DemoError(f"{command[0]} is not there: run ./dev build") from None
    if done.returncode not in accept:
        raise DemoError(f"{' '.join(command)}\nended with status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout, done.stderr


def parse_mesh(text):
    return {axis: int(size) for axis, size in (part.split("=") for part in text.split(","))}


def losses(output):
    """{step: loss} of the lines "step N loss X"."""
    return {int(step): float(loss) for step, loss in re.findall(r"^step (\d+) loss (\S+)$", output, re.M)}


def largest_difference(plain, rewritten):
    """The largest relative difference of two runs' losses; both must have the same steps."""
    if not plain or plain.keys() != rewritten.keys():
        raise DemoError(f"the plain program printed {len(plain)} losses, the rewritten one {len(rewritten)}")
    differences = [abs(plain[step] - rewritten[step]) / max(abs(plain[step]), 1e-300) for step in plain]
    return math.inf if any(map(math.isnan, differences)) else max(differences)


def show_losses(plain, rewritten, mesh, shown=10):
    print(f"{'step':>6}  {'one device':>16}  {mesh:>16}  difference")
    stride = max(1, len(plain) // shown)
    for step in plain:
        if step == 1 or step % stride == 0 or step == len(plain):
            print(f"{step:>6}  {plain[step]:>16.12f}  {rewritten[step]:>16.12f}  {rewritten[step] - plain[step]:+.1e}")


def tool_arguments(example, tool, build, mesh):
    source, plan, _ = EXAMPLES[example]
    arguments = [tool, "-p", build, "--root", ROOT / "examples", "--mesh", mesh]
    if plan:
        arguments += ["--plan", ROOT / "examples" / plan]
    return arguments, ROOT / "examples" / source


def show_diff(example, tool, build, mesh):
    arguments, source = tool_arguments(example, tool, build, mesh)
    print(run(arguments + ["--diff", source])[0])


def predicted(example, tool, build, mesh):
    """The collectives that the report of the tool has, as lines of text."""
    arguments, source = tool_arguments(example, tool, build, mesh)
    report = json.loads(run(arguments + ["--check", "--report=json", source])[0])
    return [f"{pathlib.Path(c['file']).name}:{c['line']}: {c['collective']} over {c['axis']}, {c['pass']}"
            for c in report["communication"]]


def demonstrate(example, options):
    build = pathlib.Path(options.build).resolve()
    programs = build / "examples"
    plain_name = ("charlm" if example == "charlm_sp" else example) + "_plain"
    tool = build / "tools" / "vescale-rewrite" / "vescale-rewrite"
    arguments = ["--dtype", "float64", "--steps", str(options.steps)] + EXAMPLES[example][2]

    print(f"== {example}: what vescale-rewrite changes")
    show_diff(example, tool, build, options.mesh)

    print(f"== {example}: losses")
    single, _ = run([programs / plain_name] + arguments)
    several, errors = run([programs / example, "--mesh", options.mesh] + arguments, {"VESCALE_COMM_STATS": "1"})
    plain, rewritten = losses(single), losses(several)
    difference = largest_difference(plain, rewritten)
    show_losses(plain, rewritten, options.mesh)
    print(f"largest relative difference {difference:.1e} (allowed {TOLERANCE:.0e})")

    print(f"\n== {example}: communication of rank 0, measured over the whole run")
    print(errors.strip() or "the program reported none")
    print(f"\n== {example}: communication that the tool wrote, each time a line runs; gradients of parameters come in buckets")
    print("\n".join(predicted(example, tool, build, options.mesh)) or "none")
    print()
    return difference <= TOLERANCE


def main():
    parser = argparse.ArgumentParser(prog="./dev demo", description=__doc__.split("\n")[0])
    parser.add_argument("examples", nargs="*", metavar="EXAMPLE", help=f"of {', '.join(EXAMPLES)}; default: all")
    parser.add_argument("--mesh", default="dp=2,tp=2", help="axes and their sizes (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=50, help="training steps (default: %(default)s)")
    parser.add_argument("--build", default="build", help=argparse.SUPPRESS)
    options = parser.parse_args()
    try:
        mesh = parse_mesh(options.mesh)
    except ValueError:
        parser.error(f"--mesh {options.mesh}: give axes and sizes, such as dp=2,tp=2")
    unknown = set(options.examples) - set(EXAMPLES)
    if unknown:
        parser.error(f"no example {', '.join(sorted(unknown))}; there are {', '.join(EXAMPLES)}")

    ranks = 1
    for size in mesh.values():
        ranks *= size
    print(f"mesh {options.mesh}: {ranks} ranks\n")
    try:
        equal = [demonstrate(example, options) for example in options.examples or EXAMPLES]
    except DemoError as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    if not all(equal):
        print("demo: losses differ by more than is allowed", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
