"""The commands of docs/running.md do what it says.

A block "```sh" succeeds; "```sh fails: TEXT" fails, with TEXT on standard error. Both are run line by line from the
root of the project. A line whose program is not installed (srun, mpirun) is not run; what these launchers put into the
environment is imitated instead.
"""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"```sh( fails: ([^\n]*))?\n(.*?)```", re.DOTALL)
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("VESCALE_", "RANK", "WORLD_SIZE", "SLURM_", "OMPI_"))}


def run_line(line: str, root: pathlib.Path, build: pathlib.Path, failure: str | None) -> list[str]:
    program = next(word for word in line.split() if "=" not in word)
    if not program.startswith("build/") and not shutil.which(program) and not (root / program).exists():
        print(f"not installed: {program}")
        return []
    done = subprocess.run(re.sub(r"(^| )build/", rf"\1{build}/", line), shell=True, cwd=root, env=CLEAN,
                          capture_output=True, text=True, timeout=60)
    print(f"{done.returncode}: {line}")
    if (done.returncode != 0) != (failure is not None):
        return [f"{line}\n  status {done.returncode}: {done.stdout[-500:]}{done.stderr[-2000:]}"]
    if failure is not None and failure not in done.stderr:
        return [f"{line}\n  does not say {failure!r} but {done.stderr!r}"]
    return []


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def losses(text: str) -> list[str]:
    return re.findall(r"^step .*$", text, re.MULTILINE)


def run_imitated(name: str, variables_of, root: pathlib.Path, build: pathlib.Path) -> list[str]:
    """Two processes with the variables of a launcher print, together, what two threads do."""
    command = [f"{build}/examples/digits", "--mesh", "dp=2", "--model", "mlp", "--dtype", "float64", "--steps", "3"]
    reference = subprocess.run(command, cwd=root, env=CLEAN, capture_output=True, text=True, timeout=60, check=True)
    ranks = [subprocess.Popen([*command, "--timeout", "20"], cwd=root, env=CLEAN | variables_of(rank), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) for rank in range(2)]
    outputs = [rank.communicate(timeout=60) for rank in ranks]
    print(f"imitated {name}: {[rank.returncode for rank in ranks]}")
    if any(rank.returncode for rank in ranks) or outputs[1][0] or outputs[0][0] != reference.stdout:
        return [f"{name}: {outputs}, expected {reference.stdout}"]
    return [] if len(losses(reference.stdout)) == 3 else [f"no losses in {reference.stdout}"]


def main() -> int:
    root, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    os.environ["PATH"] = CLEAN["PATH"] = f"{root}/.venv/bin:{CLEAN['PATH']}"
    problems = []
    blocks = BLOCK.findall((root / "docs/running.md").read_text())
    assert len(blocks) >= 5, "the document has lost its commands"
    with tempfile.TemporaryDirectory() as folder:
        for _, failure, text in blocks:
            for line in text.replace("\\\n", " ").replace("/tmp/logs", folder).splitlines():
                problems += run_line(line, root, build, failure or None)
    port = str(free_port())
    problems += run_imitated("torchrun", lambda rank: {
        "RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "localhost", "MASTER_PORT": port},
        root, build)
    problems += run_imitated("srun", lambda rank: {
        "SLURM_PROCID": str(rank), "SLURM_NTASKS": "2", "SLURM_STEP_ID": "0", "SLURM_STEP_TASKS_PER_NODE": "2",
        "SLURM_JOB_ID": port, "SLURM_JOB_NODELIST": "node1"}, root, build)
    problems += run_imitated("mpirun of Open MPI", lambda rank: {
        "OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_LOCAL_SIZE": "2",
        "PMIX_NAMESPACE": f"prterun-{port}"}, root, build)
    problems += run_imitated("mpirun of MPICH", lambda rank: {
        "PMI_RANK": str(rank), "PMI_SIZE": "2", "MPI_LOCALNRANKS": "2", "MASTER_PORT": str(free_port_of_all)}, root, build)
    print(*problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    free_port_of_all = free_port()
    sys.exit(main())
