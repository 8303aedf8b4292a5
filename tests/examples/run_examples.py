#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the examples as a reader would: every command of each README, and the numbers of its expected.json.

usage: run_examples.py FREEPLAY [EXAMPLE ...]      (normally called by ctest, one example at a time)

expected.json lists runs: a `model`, optional `set` values, then either `numbers` (a series at a time, its value, its
tolerance and the source of the value) or the exit `status` and a word of the message it must end with.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def call(words, cwd):
    return subprocess.run(words, cwd=cwd, text=True, capture_output=True, timeout=120)


def check_readme(freeplay, folder, cwd):
    """The commands of the README's sh blocks, in order; each must succeed."""
    failures = 0
    text = (folder / "README.md").read_text()
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S):
        for line in block.splitlines():
            command = line.split(" # ")[0].strip()
            if not command.startswith("freeplay "):
                continue
            done = subprocess.run(command, shell=True, cwd=cwd, text=True, capture_output=True, timeout=120,
                                  env={**os.environ, "PATH": f"{Path(freeplay).parent}:{os.environ['PATH']}"})
            if done.returncode != 0:
                failures += 1
                print(f"FAILED {folder.name}: {command} -> {done.returncode}\n{done.stderr}")
    return failures


def check_run(freeplay, folder, cwd, run):
    model = run["model"]
    words = [freeplay, run.get("verb", "run"), model]
    if run.get("verb", "run") == "run":
        words += ["-o", "expected.h5", "--quiet"]
    for change in run.get("set", []):
        words += ["--set", change]
    done = call(words, cwd)
    status = run.get("status", 0)
    if done.returncode != status:
        print(f"FAILED {folder.name}: {' '.join(words[1:])} -> {done.returncode}, expected {status}\n{done.stderr}")
        return 1
    if run.get("stderr", "") not in done.stdout + done.stderr:
        print(f"FAILED {folder.name}: {model} does not say '{run['stderr']}':\n{done.stdout}{done.stderr}")
        return 1
    failures = 0
    for number in run.get("numbers", []):
        got = call([freeplay, "get", "expected.h5", number["series"], "--at", repr(number["at"])], cwd)
        try:
            found = float(got.stdout)
        except ValueError:
            print(f"FAILED {folder.name}: get {number['series']}: {got.stdout}{got.stderr}")
            failures += 1
            continue
        error = abs(found - number["value"])
        good = error <= number["tolerance"]
        failures += not good
        print(f"{'  ok  ' if good else 'FAILED'} {folder.name:<24} {number['series']:<36} t = {number['at']:<10.6g} "
              f"{found:<20.12g} off by {error:.1e} of {number['tolerance']:.0e}  ({number['source']})")
    return failures


def main():
    freeplay = str(Path(sys.argv[1]).resolve())
    names = sys.argv[2:] or sorted(p.parent.name for p in (ROOT / "examples").glob("*/expected.json"))
    failures = 0
    for name in names:
        folder = ROOT / "examples" / name
        with tempfile.TemporaryDirectory() as scratch:
            # The same tree above it, so that links such as ../../mechanisms work.
            cwd = Path(scratch) / "examples" / name
            shutil.copytree(folder, cwd)
            os.symlink(ROOT / "mechanisms", Path(scratch) / "mechanisms")
            failures += check_readme(freeplay, folder, cwd)
            for run in json.loads((folder / "expected.json").read_text())["runs"]:
                failures += check_run(freeplay, folder, cwd, run)
    print(f"{failures} failed" if failures else "all examples as expected")
    return 1 if failures else 0


sys.exit(main())
