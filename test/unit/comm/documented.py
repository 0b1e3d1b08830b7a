"""Every diagnostic id that the libraries write is in docs/diagnostics.md, and the plan's schema knows the plan's keys."""
import json
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
documented = set(re.findall(r"^\| (VS\d{4}) \|", (root / "docs/diagnostics.md").read_text(), re.M))
written = set()
for folder in ("Inference", "Comm"):
    for source in (root / "lib" / folder).glob("*.cpp"):
        written |= set(re.findall(r'"(VS\d{4})"', source.read_text()))
missing = sorted(written - documented)
unknown = sorted(i for i in documented - written if i.startswith(("VS21", "VS3")))

keys = re.search(r"known_keys\[\] = \{([^}]*)\}", (root / "lib/Plan/Plan.cpp").read_text()).group(1)
refused = {"stages"}  # reserved
schema = json.loads((root / "docs/plan.schema.json").read_text())
expected = set(re.findall(r'"(\w+)"', keys)) - refused
difference = expected ^ set(schema["properties"])

pattern = re.compile(schema["$defs"]["placements"]["pattern"])
wrong = [text for text in ("tp=S(0)", "dp = R , tp=S(1,3)", "tp=R+", "tp=P(max)") if not pattern.search(text)]
rule = re.compile(schema["$defs"]["rule"]["pattern"])
wrong += [text for text in ("(n d, m d) -> n m", "( [n] ) -> (n, n) ; joint") if not rule.search(text)]
wrong += [text for text in ("", "n -> n", "(n d)", "(n -> n") if rule.search(text)]
wrong += [text for text in ("", "tp", "tp=S", "tp=S(-1)", "tp=X", "tp=S(0),") if pattern.search(text)]

for name, problem in (("not in docs/diagnostics.md", missing), ("documented but never written", unknown),
                      ("keys of plans that differ from the schema", sorted(difference)), ("placements", wrong)):
    if problem:
        print(f"{name}: {problem}")
sys.exit(bool(missing or unknown or difference or wrong))
