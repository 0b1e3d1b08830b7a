"""The README's "before" is rewritten into its "after", to the letter but for the line that names the tool.

usage: readme.py TOOL README INCLUDE... ; --update writes what the tool gives into the README.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"```cpp\n(.*?)```", re.DOTALL)


def main() -> int:
    update = "--update" in sys.argv
    tool, readme, *includes = [a for a in sys.argv[1:] if a != "--update"]
    text = pathlib.Path(readme).read_text()
    before, after = BLOCK.findall(text)[:2]
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "mlp.cpp"
        source.write_text("#include <iostream>\n" + before)
        flags = [flag for include in includes for flag in ("-isystem", include)]
        done = subprocess.run([tool, str(source), "--", "-std=c++17", *flags], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    written = done.stdout.split("\n", 1)[1].replace("#include <iostream>\n", "")
    if written == after:
        return 0
    if update:
        pathlib.Path(readme).write_text(text.replace(after, written))
        return 0
    print(f"the README says\n{after}\nbut the tool writes\n{written}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
