#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Let Clang read every source of a compile database: no errors, no warnings.

usage: tools/check_clang.py build/release/compile_commands.json [PATTERN ...]

With patterns (of paths, as in 'src/io/*') only those files. What most of them include is read once, into
precompiled headers. CLANG names another compiler than clang++. Exit status 77 where there is none.
"""

import fnmatch
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from syntax_pass import ROOT, SyntaxPass, includes_and_macros

CLANG = os.environ.get("CLANG", "clang++")
HEADERS = [
    "Eigen/Dense", "Eigen/Sparse", "fmt/format.h", "algorithm", "functional", "map", "optional", "span",
    "string", "unordered_map", "variant", "vector",
]
# The same for all files, so that precompiled headers serve them all.
COMMON = [
    "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-DEIGEN_MPL2_ONLY", "-DFMT_SHARED",
    "-DGTEST_HAS_PTHREAD=1", "-isystem", "/usr/include/eigen3",
]


def sources(database, patterns):
    """Names and commands of the files that are ours, not made by the build."""
    found = {}
    for entry in json.loads(database.read_text()):
        path = Path(entry["file"])
        if path.is_relative_to(ROOT) and not path.is_relative_to(ROOT / "build"):
            name = path.relative_to(ROOT).as_posix()
            if not patterns or any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
                found[name] = entry["command"]
    return found


def precompiled(folder, name, headers):
    folder.mkdir(parents=True, exist_ok=True)
    header, out = folder / f"{name}.hpp", folder / f"{name}.pch"
    text = f"// {CLANG} {' '.join(COMMON)}\n" + "".join(f"#include <{name}>\n" for name in headers)
    if not (out.exists() and header.exists() and header.read_text() == text):
        header.write_text(text)
        subprocess.run([CLANG, *COMMON, "-x", "c++-header", header, "-o", out], check=True)
    return out


def main():
    if shutil.which(CLANG) is None:
        print(f"there is no {CLANG} here")
        return 77
    database = Path(sys.argv[1]).resolve()
    folder = database.parent / "syntax" / "clang"
    for_all, for_tests = precompiled(folder, "all", HEADERS), precompiled(folder, "tests", [*HEADERS, "gmock/gmock.h"])
    jobs = []
    for name, command in sources(database, sys.argv[2:]).items():
        own = [word for group in includes_and_macros(command) if group[-1] not in COMMON for word in group]
        header = for_tests if name.startswith("tests/") else for_all
        jobs.append((name, [CLANG, *COMMON, "-include-pch", header, *own, ROOT / name], None))
    bad = SyntaxPass(folder).read(jobs)
    for name in bad:
        print(f"Clang complains about {name}")
    print(f"clang: {len(jobs) - len(bad)} of {len(jobs)} sources without a warning")
    return 0 if jobs and not bad else 1


sys.exit(main())
