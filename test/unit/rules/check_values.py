"""Checks on values what the rules claim: for each shardable factor and 2, 3 and 5 ranks the op is run on each rank's part of the
inputs, and its results must be that rank's part of the whole result, or combine to it; gradients of the inputs likewise. Open sums among the inputs likewise.

    check_values.py DUMP_RULES      (the program that prints the rules of shapes.txt, in order)
"""

import json
import subprocess
import sys

import torch

from calls import CALLS, arguments_in_order, operator, run

SIZES, DIM, DIMS_FROM, DIM_LIST = range(4)  # LocalArgument::Kind
MOVEMENT, JOINT, MULTILINEAR = 1, 2, 3


def chunk(size, ranks, rank):
    step = -(-size // ranks)
    return range(min(rank * step, size), min((rank + 1) * step, size))


def flatten(values):
    """The tensors of a call, and where they belong."""
    tensors, places = [], []
    for at, value in enumerate(values):
        if isinstance(value, torch.Tensor):
            tensors.append(value)
            places.append((at, None))
        elif isinstance(value, (list, tuple)):
            for inner, element in enumerate(value):
                if isinstance(element, torch.Tensor):
                    tensors.append(element)
                    places.append((at, inner))
    return tensors, places


def rebuild(values, places, tensors):
    result = [list(v) if isinstance(v, (list, tuple)) else v for v in values]
    for (at, inner), tensor in zip(places, tensors):
        if inner is None:
            result[at] = tensor
        else:
            result[at][inner] = tensor
    return result


def part_of_dim(rule, dim, factor, part):
    """The places in a dim whose index along `factor` is in `part`."""
    places = torch.tensor([0])
    for f in dim:
        size = rule["factors"][f]["size"]
        own = torch.tensor(list(part) if f == factor else range(size), dtype=torch.long)
        places = (places[:, None] * size + own[None, :]).reshape(-1)
    return places


def part_of(rule, dims, factor, part, tensor):
    for d, dim in enumerate(dims):
        if factor in dim:
            tensor = tensor.index_select(d, part_of_dim(rule, dim, factor, part))
    return tensor


def has(dims, factor):
    return any(factor in dim for dim in dims)


def local_sizes(rule, output, factor, part, whole):
    return list(part_of(rule, rule["outputs"][output]["dims"], factor, part, whole).shape)


def localize(rule, values, factor, part, results):
    values = list(values)
    for argument, kind, output, dim in rule["local"]:
        sizes = local_sizes(rule, output, factor, part, results[output])
        if kind == SIZES:
            values[argument] = sizes
        elif kind == DIM:
            values[argument] = sizes[dim]
        elif kind == DIMS_FROM:
            values[argument] = sizes[dim : dim + len(values[argument])]
        else:
            values[argument] = [local_sizes(rule, o, factor, part, r)[dim] for o, r in enumerate(results)]
    return values


def equal(a, b):
    return a.shape == b.shape and torch.allclose(a.to(torch.complex128), b.to(torch.complex128), rtol=1e-10, atol=1e-12)


def gradients(op, values, wanted, seeds):
    """The outputs, and the gradients of the tensors in `wanted` for these gradients of the outputs."""
    tensors, places = flatten(values)
    leaves = [t.detach().clone().requires_grad_(i in wanted) for i, t in enumerate(tensors)]
    outputs = run(op, rebuild(values, places, leaves))
    pairs = [(out, seed) for out, seed in zip(outputs, seeds) if seed is not None and out.requires_grad]
    grads = torch.autograd.grad([out for out, _ in pairs], [leaves[i] for i in wanted], [seed for _, seed in pairs],
                                allow_unused=True)
    return [out.detach() for out in outputs], [g if g is not None else torch.zeros_like(leaves[i]) for g, i in zip(grads, wanted)]


class Whole:
    """The op on whole tensors: its results, and gradients where LibTorch has them."""

    def __init__(self, op, values, compare):
        self.results = run(op, values)
        self.seeds = [torch.rand_like(r) if r.is_floating_point() else None for r in self.results]
        self.wanted, self.grads = [], []
        tensors, _ = flatten(values)
        floating = [i for i, t in enumerate(tensors) if t.is_floating_point()]
        for wanted in (floating, floating[:1]) if compare else ():
            try:
                _, self.grads = gradients(op, values, wanted, self.seeds)
                self.wanted = wanted
                return
            except (RuntimeError, ValueError, IndexError):  # not differentiable in all of them
                continue


def check_factor(rule, op, values, whole_run, factor, ranks, compare):
    results = whole_run.results
    tensors, places = flatten(values)
    partial = [None] * len(results)
    grad_sums = [torch.zeros_like(g) for g in whole_run.grads]
    summing = results and not has(rule["outputs"][0]["dims"], factor)
    for rank in range(ranks):
        part = chunk(rule["factors"][factor]["size"], ranks, rank)
        locals_ = []
        for tensor, operand in zip(tensors, rule["inputs"]):
            tensor = part_of(rule, operand["dims"], factor, part, tensor)
            locals_.append(torch.zeros_like(tensor) if summing and operand["additive"] and rank > 0 else tensor)
        local_values = localize(rule, rebuild(values, places, locals_), factor, part, results)
        try:
            if whole_run.wanted:
                seeds = [s if s is None else part_of(rule, out["dims"], factor, part, s)
                         for s, out in zip(whole_run.seeds, rule["outputs"])]
                outputs, grads = gradients(op, local_values, whole_run.wanted, seeds)
            else:
                outputs, grads = run(op, local_values), []
        except Exception as error:  # what LibTorch refuses on a part is as wrong as a wrong value
            return f"rank {rank}: {str(error).splitlines()[0]}"
        if len(outputs) != len(results):
            return f"rank {rank}: {len(outputs)} results"
        for o, (output, whole) in enumerate(zip(outputs, results)):
            if has(rule["outputs"][o]["dims"], factor):
                expected = part_of(rule, rule["outputs"][o]["dims"], factor, part, whole)
                good = equal(output, expected) if compare else output.shape == expected.shape
                if not good:
                    return f"rank {rank}, result {o} of {list(output.shape)}, expected {list(expected.shape)}"
            elif output.shape != whole.shape:
                return f"rank {rank}, result {o} of {list(output.shape)}, expected {list(whole.shape)}"
            else:
                partial[o] = output if partial[o] is None else partial[o] + output
        for g, (index, local, whole) in enumerate(zip(whole_run.wanted, grads, whole_run.grads)):
            operand = rule["inputs"][index]
            if has(operand["dims"], factor):
                if not equal(local, part_of(rule, operand["dims"], factor, part, whole)):
                    return f"rank {rank}, gradient of input {index}"
            elif summing and operand["additive"]:
                if not equal(local, whole):
                    return f"rank {rank}, gradient of the summand {index}"
            else:
                grad_sums[g] = grad_sums[g] + local
    for index, sums, whole in zip(whole_run.wanted, grad_sums, whole_run.grads):
        operand = rule["inputs"][index]
        if not has(operand["dims"], factor) and not (summing and operand["additive"]) and not equal(sums, whole):
            return f"gradient of input {index} is not the sum of the ranks'"
    for o, (sums, whole) in enumerate(zip(partial, results)):
        if sums is not None and not equal(sums, whole):
            return f"result {o} is not the sum of the parts"
    return None


def check_linearity(rule, op, values, results):
    """Open sums: x = a + b."""
    tensors, places = flatten(values)
    linear = rule["linear"] or [1] * len(tensors)
    open_sets = []
    if rule["linearity"] in (MOVEMENT, JOINT):
        open_sets = [[i for i in range(len(tensors)) if linear[i]]]
    elif rule["linearity"] == MULTILINEAR:
        additive = [i for i, operand in enumerate(rule["inputs"]) if operand["additive"]]
        open_sets = [[i] + additive for i in range(len(tensors)) if linear[i] and i not in additive]
    for open_inputs in open_sets:
        if not all(tensors[i].is_floating_point() or tensors[i].is_complex() for i in open_inputs):
            continue
        first = [torch.rand_like(t) if i in open_inputs else t for i, t in enumerate(tensors)]
        second = [t - first[i] if i in open_inputs else t for i, t in enumerate(tensors)]
        sums = [a + b for a, b in zip(run(op, rebuild(values, places, first)), run(op, rebuild(values, places, second)))]
        for o, whole in enumerate(results):
            if not equal(sums[o], whole):
                return f"not linear in inputs {open_inputs}"
    return None


def main():
    torch.set_num_threads(1)
    lines = subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout.splitlines()
    if len(lines) != len(CALLS):
        sys.exit("shapes.txt is older than calls.py: run make_shapes.py")
    checks = failures = differentiated = 0
    for (name, given, named), line in zip(CALLS, lines):
        rule = json.loads(line)
        op = operator(name)
        values = arguments_in_order(op, given, named)
        compare = not name.startswith("!") and 1 not in rule["uses"]
        whole = Whole(op, values, compare)
        differentiated += bool(whole.wanted)
        problems = []
        for factor, facts in enumerate(rule["factors"]):
            mentioned = any(has(operand["dims"], factor) for operand in rule["inputs"] + rule["outputs"])
            if not facts["shardable"] or not mentioned or facts["size"] < 2:
                continue
            for ranks in (2, 3, 5):  # with 5 some parts are empty
                if any(len(chunk(facts["size"], ranks, rank)) == facts["never"] for rank in range(ranks)):
                    continue
                checks += 1
                problem = check_factor(rule, op, values, whole, factor, ranks, compare)
                if problem:
                    problems.append(f"factor {factor} of size {facts['size']} over {ranks}: {problem}")
        if rule["linearity"]:
            checks += 1
            problem = check_linearity(rule, op, values, whole.results)
            if problem:
                problems.append(problem)
        failures += len(problems)
        for problem in problems:
            print(f"{name}{[list(v.shape) if isinstance(v, torch.Tensor) else v for v in given]}: {problem}")
    print(f"{checks} checks of {len(CALLS)} calls, {differentiated} with gradients, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
