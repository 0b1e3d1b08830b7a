"""Checks on values what the rules claim: for each shardable factor and 2 and 3 ranks the op is run on each rank's part of the
inputs, and its results must be that rank's part of the whole result, or combine to it. Open sums among the inputs likewise.

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


def check_factor(rule, op, values, results, factor, ranks, compare):
    tensors, places = flatten(values)
    partial = [None] * len(results)
    summing = results and not has(rule["outputs"][0]["dims"], factor)
    for rank in range(ranks):
        part = chunk(rule["factors"][factor]["size"], ranks, rank)
        if len(part) == 0:
            continue
        locals_ = []
        for tensor, operand in zip(tensors, rule["inputs"]):
            tensor = part_of(rule, operand["dims"], factor, part, tensor)
            locals_.append(torch.zeros_like(tensor) if summing and operand["additive"] and rank > 0 else tensor)
        local_values = localize(rule, rebuild(values, places, locals_), factor, part, results)
        try:
            outputs = run(op, local_values)
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
    checks = failures = 0
    for (name, given, named), line in zip(CALLS, lines):
        rule = json.loads(line)
        op = operator(name)
        values = arguments_in_order(op, given, named)
        results = run(op, values)
        compare = not name.startswith("!") and 1 not in rule["uses"]
        problems = []
        for factor, facts in enumerate(rule["factors"]):
            mentioned = any(has(operand["dims"], factor) for operand in rule["inputs"] + rule["outputs"])
            if not facts["shardable"] or not mentioned or facts["size"] < 2:
                continue
            for ranks in (2, 3):
                checks += 1
                problem = check_factor(rule, op, values, results, factor, ranks, compare)
                if problem:
                    problems.append(f"factor {factor} of size {facts['size']} over {ranks}: {problem}")
        if rule["linearity"]:
            checks += 1
            problem = check_linearity(rule, op, values, results)
            if problem:
                problems.append(problem)
        failures += len(problems)
        for problem in problems:
            print(f"{name}{[list(v.shape) if isinstance(v, torch.Tensor) else v for v in given]}: {problem}")
    print(f"{checks} checks of {len(CALLS)} calls, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
