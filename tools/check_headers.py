#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compile every header of include/ and src/ on its own, with the flags of a compile database.

usage: tools/check_headers.py build/lint/compile_commands.json
"""

import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def compiler_and_flags(database):
    """The compiler, and the union of what its commands say about includes, macros and language."""
    compiler, flags = None, {}
    for entry in json.loads(Path(database).read_text()):
        words = shlex.split(entry["command"])
        compiler = compiler or words[0]
        for i, word in enumerate(words):
            if word.startswith(("-I", "-D", "-std=")):
                flags[(word,)] = None
            elif word == "-isystem":
                flags[(word, words[i + 1])] = None
    return compiler, [word for group in flags for word in group]


def main():
    compiler, flags = compiler_and_flags(sys.argv[1])
    headers = sorted(path for top in ("include", "src") for path in (ROOT / top).glob("**/*.hpp"))

    def compiles(header):
        source = f'#include "{header}"\n#include "{header}"\n'
        command = [compiler, *flags, "-fsyntax-only", "-Wall", "-Wextra", "-x", "c++", "-"]
        return subprocess.run(command, input=source, text=True, cwd=ROOT).returncode == 0

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        good = list(pool.map(compiles, headers))
    for header, ok in zip(headers, good):
        if not ok:
            print(f"does not compile alone: {header.relative_to(ROOT)}")
    print(f"headers: {sum(good)} of {len(headers)} compile alone")
    return 0 if all(good) else 1


sys.exit(main())
