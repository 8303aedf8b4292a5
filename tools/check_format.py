#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Fail when a C++ file that git knows is not laid out as clang-format (.clang-format) does it; `./dev format` mends it.

Exit status 77 where there is no clang-format.
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main():
    if shutil.which("clang-format") is None:
        print("there is no clang-format here")
        return 77
    listed = subprocess.run(["git", "ls-files", "-z", "*.cpp", "*.hpp"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    files = [name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()]
    checked = subprocess.run(["clang-format", "--dry-run", "--Werror", "--style=file", *files], cwd=ROOT)
    print(f"format: {len(files)} files" + ("" if checked.returncode == 0 else ", of which some are not; ./dev format"))
    return 0 if files and checked.returncode == 0 else 1


sys.exit(main())
