#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compile every header of include/ and src/ on its own, with the flags of a compile database.

usage: tools/check_headers.py build/release/compile_commands.json
"""

import json
import shlex
import sys
from pathlib import Path

from syntax_pass import ROOT, SyntaxPass, includes_and_macros


def compiler_and_flags(database):
    """The compiler, and the union of what its commands say about includes and macros."""
    commands = [entry["command"] for entry in json.loads(database.read_text())]
    groups = dict.fromkeys(group for command in commands for group in includes_and_macros(command))
    words = shlex.split(commands[0])
    compiler = next(word for word in words if Path(word).name.startswith(("c++", "g++", "clang++")))
    return compiler, [word for group in groups for word in group]


def main():
    database = Path(sys.argv[1]).resolve()
    compiler, flags = compiler_and_flags(database)
    headers = sorted(path for top in ("include", "src") for path in (ROOT / top).glob("**/*.hpp"))
    command = [compiler, "-std=c++20", "-Wall", "-Wextra", *flags, "-x", "c++", "-"]
    jobs = [(path.relative_to(ROOT).as_posix(), command, f'#include "{path}"\n#include "{path}"\n') for path in headers]
    bad = SyntaxPass(database.parent / "syntax" / "headers").read(jobs)
    for name in bad:
        print(f"does not compile alone: {name}")
    print(f"headers: {len(jobs) - len(bad)} of {len(jobs)} compile alone")
    return 1 if bad else 0


sys.exit(main())
