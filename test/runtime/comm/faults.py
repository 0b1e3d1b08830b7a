"""One rank of several processes is killed, throws, returns, stops or does something else, at pseudo-random points.

Each time: vescale-run returns in time, with the right status; what it says first names the rank; every other rank says
so too; no process, port or shared memory stays behind.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

MESHES = {"dp=2,tp=2": 4, "dp=1,tp=2": 2, "dp=2,tp=1": 2, "dp=1,tp=3": 3}
POINTS = 24
SLACK = 8.0  # seconds; the machine may be busy


def processes_with(word: str) -> list[str]:
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word.encode() in path.read_bytes().split(b"\0"):
                found.append(path.parent.name)
        except OSError:
            pass
    return found


def is_listening(port: int) -> bool:
    rows = [line.split() for path in ("/proc/net/tcp", "/proc/net/tcp6") for line in open(path).readlines()[1:]]
    return any(int(row[1].split(":")[1], 16) == port and row[3] == "0A" for row in rows)


def expected(how: str, rank: int, point: int) -> tuple[int, str]:
    """Status, and a pattern that the first line matches."""
    me = rf"rank {rank}\b"
    return {
        "kill": (137, rf"vescale-run: {me} was killed by signal 9"),
        "crash": (134, rf"vescale-run: {me} was killed by signal 6"),
        "throw": (1, rf"vescale: {me} \(.*\) failed: thrown at point {point}$"),
        "exit": (7, rf"vescale: {me} \(.*\) returned 7$"),
        "return": (1, rf"vescale: rank .* cannot complete: {me} has returned from its program$"),
        "stop": (1, rf"vescale: rank .* timed out after .* s; missing: .*{me} does not answer"),
        "diverge": (1, rf"vescale: rank .* failed: (ranks issued different|all_to_all).*{me}"),
    }[how]


def expected_at_start(how: str, rank: int) -> tuple[int, str]:
    return {
        "kill": (137, rf"vescale-run: rank {rank} was killed by signal 9"),
        "exit": (7, r"$"),
        "stop": (1, rf"vescale: start timed out .*{rank} of \d+ did not come"
                    + ("|vescale: what listens at .* rank 0 hangs|vescale: start timed out; rank 0 does not answer" if rank == 0 else "")),
    }[how]


def check(options, how: str, mesh: str, rank: int, point: int, timeout: float) -> list[str]:
    token = f"token-{os.getpid()}-{random.getrandbits(40):x}"
    shared_memory = set(os.listdir("/dev/shm"))
    with tempfile.TemporaryDirectory() as folder:
        command = [options.launcher, "--mesh", mesh, "--timeout", str(timeout), "--log-dir", folder, options.program,
                   how, str(rank), str(point), token]
        start = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=3 * timeout + 20)
        except subprocess.TimeoutExpired:
            return [f"did not end; left {processes_with(token)}"]
        seconds = time.monotonic() - start
        logs = {r: pathlib.Path(folder, f"rank_{r}.err").read_text() for r in range(MESHES[mesh])}
    problems = []
    status, pattern = expected(how, rank, point) if point >= 0 else expected_at_start(how, rank)
    # A wait that times out, then the grace of the launcher, which is as long. Else only the grace, if that.
    limit = SLACK + timeout * (2 if how == "stop" or point < 0 else 1)
    if seconds > limit:
        problems.append(f"took {seconds:.1f} s, more than {limit} s")
    if done.returncode != status:
        problems.append(f"status {done.returncode}, expected {status}")
    said = done.stderr.splitlines()
    if not re.search(pattern, said[0] if said else ""):
        problems.append(f"said {said[:1]}, expected {pattern}")
    for other, text in logs.items():
        if other != rank and point >= 0 and not re.search(rf"rank {rank}\b", text):
            problems.append(f"rank {other} said {text!r}")
    if left := processes_with(token):
        problems.append(f"left processes {left}")
    if (port := re.search(r"port (\d+)", done.stdout)) and is_listening(int(port[1])):
        problems.append(f"left port {port[1]}")
    if left := set(os.listdir("/dev/shm")) - shared_memory:
        problems.append(f"left shared memory {left}")
    return problems + ([done.stderr] if problems else [])


def cases(seed: int) -> list[tuple[str, str, int, int, float]]:
    choose = random.Random(seed)
    # A stopped rank costs its time-out; the others must not wait for theirs.
    result = []
    for how, count, timeout in [("kill", 60, 20), ("throw", 6, 20), ("exit", 3, 20), ("return", 5, 20),
                                ("crash", 2, 20), ("diverge", 8, 20), ("stop", 4, 1.5)]:
        for index in range(count):
            mesh = choose.choice(list(MESHES))
            rank = choose.randrange(MESHES[mesh])
            point = choose.randrange(POINTS)
            # What is killed before the ranks meet cannot be told from a slow start; the launcher ends the others.
            if how in ("kill", "exit", "stop") and index % 8 == 0:
                point, wait = -1, 1.5
            else:
                wait = timeout
            if how == "diverge" and (point % 8 == 2 or mesh.endswith("tp=1") or (point % 8 == 4 and "dp=1" in mesh)):
                point, mesh, rank = choose.choice([0, 1, 3, 4, 5, 6, 7]) + 8, "dp=2,tp=2", choose.randrange(4)
            result.append((how, mesh, rank, point, wait))
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one way to fail")
    options = parser.parse_args()
    failed = 0
    todo = [case for case in cases(options.seed) if options.only in (None, case[0])]
    # Most of the time is spent waiting.
    with concurrent.futures.ThreadPoolExecutor(2) as workers:
        for case, problems in zip(todo, workers.map(lambda case: check(options, *case), todo)):
            if problems:
                failed += 1
                print(*case, *problems, sep="\n  ")
    print(f"{len(todo)} faults, {failed} not as they must be")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
