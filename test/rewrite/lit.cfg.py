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
# Rewrites %s to %t.cpp, checks it, compiles it and rewrites it again.
check_rewrite = [
    "%s %%s -o %%t.cpp -- %s" % (tool, flags),
    "%s %%t.cpp > %%t.stripped" % strip,
    "%s/FileCheck %%s --input-file %%t.stripped" % llvm,
    "%s %%t.cpp" % compile,
    "%s %%t.cpp -o %%t.again.cpp -- %s" % (tool, flags),
    "diff %t.cpp %t.again.cpp"]
# Also without the first line, by which the tool knows what it has written. Not for sources of which a part stays
# plain LibTorch: that would be rewritten then.
check_all_rewritten = check_rewrite + [
    "sed 1d %t.cpp > %t.bare.cpp",
    "%s %%t.bare.cpp -o %%t.bare.again.cpp -- %s" % (tool, flags),
    "diff %t.bare.cpp %t.bare.again.cpp"]
# %check_errors: %s is refused, its messages are as checked, and nothing is written.
check_errors = [
    "rm -f %t.cpp",
    "%s/not %s %%s -o %%t.cpp -- %s 2> %%t.err" % (llvm, tool, flags),
    "%s/FileCheck %%s --input-file %%t.err" % llvm,
    "%s/not ls %%t.cpp" % llvm]
config.substitutions += [
    ("%check_rewrite", " && ".join(check_rewrite)),
    ("%check_all_rewritten", " && ".join(check_all_rewritten)),
    ("%check_errors", " && ".join(check_errors)),
    ("%vescale-rewrite", tool),
    ("%flags", flags),
    ("%strip", strip),
    ("%FileCheck", llvm + "/FileCheck"),
    ("%not", llvm + "/not"),
    ("%split-file", llvm + "/split-file"),
    ("%compile", compile),
]
