#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What results cost, mechanism by mechanism: CPU seconds of `freeplay run`, of the same run without a file (bare_run), and of
another build (to compare versions), interleaved, medians; and the sizes of the files.

    bench/record_cost.py build/release/bin [OTHER/freeplay] [--runs 7]
"""

import argparse
import os
import statistics
import tempfile
from pathlib import Path

MECHANISMS = Path(__file__).resolve().parents[1] / "mechanisms"


def cpu_of(command: list[str]) -> float:
    """User and system seconds of a program from its start to its end."""
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execv(command[0], command)
    _, status, used = os.wait4(pid, 0)
    if status != 0:
        raise RuntimeError(" ".join(command))
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", help="folder of the programs")
    parser.add_argument("other", nargs="?", help="another freeplay to compare with")
    parser.add_argument("--runs", type=int, default=7)
    wishes = parser.parse_args()
    programs = {"bare": os.path.join(wishes.bin, "bare_run"), "run": os.path.join(wishes.bin, "freeplay")}
    if wishes.other:
        programs["other"] = wishes.other
    # What the command line costs before it does anything, beside a program of one purpose.
    start = statistics.median(cpu_of([programs["run"], "--version"]) for _ in range(15)) - statistics.median(
        cpu_of([programs["bare"], "--nothing"]) for _ in range(15))
    print("| mechanism | without, ms | run, ms | run / without | other, ms | file, kB | other, kB | file / other |\n|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for model in sorted(MECHANISMS.glob("*.toml")):
            times: dict[str, list[float]] = {name: [] for name in programs}
            size = {"other": 0}
            for _ in range(wishes.runs):
                for name, program in programs.items():
                    file = os.path.join(folder, name + ".h5")
                    command = [program, str(model)] if name == "bare" else [program, "run", str(model), "-o", file, "--quiet"]
                    times[name].append(cpu_of(command))
                    if name != "bare":
                        now = os.path.getsize(file)
                        size[name] = min(size.get(name) or now, now)     # on a busy machine some runs are flushed in between
            ms = {name: 1e3 * statistics.median(t) for name, t in times.items()}
            ms["bare"] += 1e3 * start
            other = (f"{ms['other']:.1f}", f"{size['other'] / 1e3:.0f}", f"{size['run'] / size['other']:.2f}") if wishes.other else ("", "", "")
            print(f"| {model.stem} | {ms['bare']:.1f} | {ms['run']:.1f} | {ms['run'] / ms['bare']:.2f} | {other[0]} | {size['run'] / 1e3:.0f} | "
                  f"{other[1]} | {other[2]} |", flush=True)


if __name__ == "__main__":
    main()
