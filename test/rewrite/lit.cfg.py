# Tests of vescale-rewrite: each source is rewritten, its output checked, compiled and rewritten again.
import os

import lit.formats

config.name = "vescale-rewrite"
config.test_format = lit.formats.ShTest(False)
config.suffixes = [".cpp", ".test"]
config.excludes = ["Inputs", "unit"]
config.test_source_root = os.path.dirname(__file__)

inputs = config.test_source_root + "/Inputs"
flags = "-std=c++17 -isystem %s" % inputs
tool = config.vescale_rewrite
llvm = config.llvm_tools
# The comments that check are part of the output too and would match themselves.
strip = "sed -e 's#// \\(CHECK\\|RUN\\)[A-Z-]*:.*##'"
compile = "%s/clang++ %s -fsyntax-only -Wall -Wextra -Werror" % (llvm, flags)
config.substitutions += [
    # Rewrites %s to %t.cpp, checks it, compiles it and rewrites it again.
    ("%check_rewrite", " && ".join([
        "%s %%s -o %%t.cpp -- %s" % (tool, flags),
        "%s %%t.cpp > %%t.stripped" % strip,
        "%s/FileCheck %%s --input-file %%t.stripped" % llvm,
        "%s %%t.cpp" % compile,
        "%s %%t.cpp -o %%t.again.cpp -- %s" % (tool, flags),
        "diff %t.cpp %t.again.cpp"])),
    ("%vescale-rewrite", tool),
    ("%flags", flags),
    ("%strip", strip),
    ("%FileCheck", llvm + "/FileCheck"),
    ("%not", llvm + "/not"),
    ("%split-file", llvm + "/split-file"),
    ("%compile", compile),
]
