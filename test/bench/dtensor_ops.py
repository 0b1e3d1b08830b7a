"""PyTorch's DTensor on the ops of ops_bench: nanoseconds over the plain call, on a mesh of one rank."""

import os
import statistics
import time

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, distribute_tensor


def nanoseconds(body, repeats: int) -> float:
    begin = time.perf_counter_ns()
    for _ in range(repeats):
        body()
    return (time.perf_counter_ns() - begin) / repeats


def compare(name: str, plain, ours, repeats: int = 300) -> None:
    nanoseconds(plain, 50), nanoseconds(ours, 50)
    times = [(nanoseconds(plain, repeats), nanoseconds(ours, repeats)) for _ in range(11)]
    p, o = statistics.median(t[0] for t in times), statistics.median(t[1] for t in times)
    print(f"{name:<22} plain {p:9.1f} ns   DTensor {o:9.1f} ns   ratio {o / p:.3f}   added {o - p:8.1f} ns")


def main() -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29613", RANK="0", WORLD_SIZE="1")
    dist.init_process_group("gloo")
    torch.set_num_threads(1)
    mesh = init_device_mesh("cpu", (1,))
    x, w, b = torch.randn(32, 32), torch.randn(32, 32), torch.randn(32)
    dx, dw, db = (distribute_tensor(t, mesh, [Replicate()]) for t in (x, w, b))
    with torch.no_grad():
        compare("add", lambda: x.add(w), lambda: dx.add(dw))
        compare("mul", lambda: x.mul(w), lambda: dx.mul(dw))
        compare("mm", lambda: x.mm(w), lambda: dx.mm(dw))
        compare("relu", lambda: x.relu(), lambda: dx.relu())
        linear = torch.nn.functional.linear
        compare("linear", lambda: linear(x, w, b), lambda: linear(dx, dw, db))
        norm = torch.nn.functional.layer_norm
        compare("layer_norm", lambda: norm(x, [32], b, b), lambda: norm(dx, [32], db, db))
        compare("view", lambda: x.view(16, 64), lambda: dx.view(16, 64))
        compare("sum", lambda: x.sum(), lambda: dx.sum())
    g, dg = w.clone().requires_grad_(), distribute_tensor(w, mesh, [Replicate()]).requires_grad_()

    def step(a, c):
        a.mm(c).relu().sum().backward()
        c.grad = None

    compare("mm+relu+sum fwd+bwd", lambda: step(x, g), lambda: step(dx, dg), 100)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
