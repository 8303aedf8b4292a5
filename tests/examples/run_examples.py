#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the examples as a reader would: every command of each README, and the numbers of its expected.json.

usage: run_examples.py FREEPLAY [EXAMPLE ...]      (normally called by ctest, one example at a time)

The name README stands for the page of the repository itself.

expected.json lists runs: a `model` (or, with the verb study, a study file), optional `verb` and `set` values, the exit `status`
(0 unless given), `plugins` (they are allowed), what the program `says`, `datasets` of a study (an entry of each), then `numbers` (a series at a time) and `rows` (a column of the tables events and impacts), each with its value,
tolerance and source. Of a README, the commands of its sh blocks are run, and each `--set ...` quoted in its text is tried by
`freeplay check` on the first model.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py

ROOT = Path(__file__).resolve().parents[2]


def call(words, cwd):
    return subprocess.run(words, cwd=cwd, text=True, capture_output=True, timeout=120)


def check_readme(freeplay, folder, cwd):
    """The commands of the README's sh blocks, in order; each must succeed."""
    failures = count = 0
    text = (folder / "README.md").read_text()
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S):
        for line in block.splitlines():
            command = line.split(" # ")[0].strip()
            if command.startswith("python3 "):  # with h5py, which another python3 in PATH may lack
                command = command.replace("python3", shlex.quote(sys.executable), 1)
            elif not command.startswith(("freeplay ", "cc ")):
                continue
            done = subprocess.run(command, shell=True, cwd=cwd, text=True, capture_output=True, timeout=120,
                                  env={**os.environ, "PATH": f"{Path(freeplay).parent}:{os.environ['PATH']}"})
            if done.returncode != 0:
                failures += 1
                print(f"FAILED {folder.name}: {command} -> {done.returncode}\n{done.stderr}")
            count += 1
    if count == 0:
        failures += 1
        print(f"FAILED {folder.name}: README.md has no command to run")
    return failures


def check_quoted_options(freeplay, folder, cwd, run):
    """Options quoted in the text: `--set parameters.crank="90 mm"`. Dots stand for the reader's own value."""
    failures = 0
    model = run["model"]
    allowed = ["--allow-plugins"] if run.get("plugins") else []
    prose = re.sub(r"^```.*?^```", "", (folder / "README.md").read_text(), flags=re.M | re.S)
    for quoted in re.findall(r"`(--set [^`]*)`", prose):
        if "..." in quoted:
            continue
        done = call([freeplay, "check", model, *allowed, *shlex.split(quoted)], cwd)
        if done.returncode != 0:
            failures += 1
            print(f"FAILED {folder.name}: check {model} {quoted} -> {done.returncode}\n{done.stderr}")
    return failures


def table_of(freeplay, cwd, name):
    lines = call([freeplay, "get", "expected.h5", name], cwd).stdout.splitlines()
    columns = [heading.split(" [")[0] for heading in lines[0].split("\t")]
    return [dict(zip(columns, line.split("\t"))) for line in lines[1:]]


def compare(folder, what, when, found, number):
    error = abs(found - number["value"])
    good = error <= number["tolerance"]
    print(f"{'  ok  ' if good else 'FAILED'} {folder.name:<24} {what:<36} {when:<16} {found:<20.12g} "
          f"off by {error:.1e} of {number['tolerance']:.0e}  ({number['source']})")
    return not good


def check_run(freeplay, folder, cwd, run):
    model = run["model"]
    words = [freeplay, run.get("verb", "run"), model]
    if run.get("verb", "run") == "run":
        words += ["-o", "expected.h5", "--quiet"]
    elif run["verb"] == "study":
        words += ["-o", "expected.h5"]
    for change in run.get("set", []):
        words += ["--set", change]
    allowed = ["--allow-plugins"] if run.get("plugins") else []
    words += allowed
    done = call(words, cwd)
    status = run.get("status", 0)
    if done.returncode != status:
        print(f"FAILED {folder.name}: {' '.join(words[1:])} -> {done.returncode}, expected {status}\n{done.stderr}")
        return 1
    failures = 0
    for words in run.get("says", []):
        if words not in done.stdout + done.stderr:
            failures += 1
            print(f"FAILED {folder.name}: {model} does not say '{words}':\n{done.stdout}{done.stderr}")
    for number in run.get("datasets", []):
        with h5py.File(cwd / "expected.h5") as file:
            found = float(file[number["dataset"]][number["row"]])
        failures += compare(folder, number["dataset"], f"row {number['row']}", found, number)
    for number in run.get("numbers", []):
        got = call([freeplay, "get", "expected.h5", number["series"], "--at", repr(number["at"]), *allowed], cwd)
        try:
            found = float(got.stdout)
        except ValueError:
            print(f"FAILED {folder.name}: get {number['series']}: {got.stdout}{got.stderr}")
            failures += 1
            continue
        failures += compare(folder, number["series"], f"t = {number['at']:.6g}", found, number)
    for number in run.get("rows", []):
        rows = table_of(freeplay, cwd, number["table"])
        if number["row"] >= len(rows):
            print(f"FAILED {folder.name}: {number['table']} has {len(rows)} rows only")
            failures += 1
            continue
        failures += compare(folder, f"{number['table']}: {number['column']}", f"row {number['row']}",
                            float(rows[number["row"]][number["column"]]), number)
    return failures


def incomplete():
    """Folders of examples without model, README or expected numbers."""
    failures = 0
    for folder in sorted((ROOT / "examples").iterdir()):
        if not folder.is_dir():
            continue
        runs = json.loads((folder / "expected.json").read_text())["runs"] if (folder / "expected.json").exists() else []
        missing = [what for what, there in (
            ("README.md", (folder / "README.md").exists()),
            ("a model that is run", any((folder / run["model"]).exists() for run in runs)),
            ("expected numbers", any(run.get("numbers") for run in runs)),
            ("a line in examples/README.md", f"({folder.name}/README.md)" in (ROOT / "examples/README.md").read_text()),
        ) if not there]
        for what in missing:
            failures += 1
            print(f"FAILED examples/{folder.name} lacks {what}")
    return failures


def main():
    freeplay = str(Path(sys.argv[1]).resolve())
    names = sys.argv[2:] or ["README"] + sorted(p.parent.name for p in (ROOT / "examples").glob("*/expected.json"))
    failures = incomplete()
    for name in names:
        if name == "README":
            with tempfile.TemporaryDirectory() as scratch:
                for part in ("mechanisms", "examples"):
                    os.symlink(ROOT / part, Path(scratch) / part)
                failures += check_readme(freeplay, ROOT, Path(scratch))
            continue
        folder = ROOT / "examples" / name
        with tempfile.TemporaryDirectory() as scratch:
            # The same tree above it, so that links such as ../../mechanisms work.
            cwd = Path(scratch) / "examples" / name
            shutil.copytree(folder, cwd)
            os.symlink(ROOT / "mechanisms", Path(scratch) / "mechanisms")
            os.symlink(ROOT / "include", Path(scratch) / "include")
            failures += check_readme(freeplay, folder, cwd)
            runs = json.loads((folder / "expected.json").read_text())["runs"]
            failures += check_quoted_options(freeplay, folder, cwd, runs[0])
            for run in runs:
                failures += check_run(freeplay, folder, cwd, run)
    print(f"{failures} failed" if failures else "all examples as expected")
    return 1 if failures else 0


sys.exit(main())
