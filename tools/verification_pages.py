#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The pages docs/verification/results/*.md: every case of the suite with source, expected, found, tolerance.

    verification_pages.py write ROWS      make the pages from the rows of a run
    verification_pages.py update ROWS     make the pages of those test files anew that the rows come from
    verification_pages.py compare ROWS    does such a run still agree with the pages?
    verification_pages.py check           do the pages list the tests that exist?  (needs no run)
    verification_pages.py run BUILD ROWS  run the suite of a build, noting its rows

ROWS is written by the tests themselves (tests/support/verification_rows.hpp).
"""

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "verification" / "results"
TEST = re.compile(r"^TEST(?:_P|_F)?\(\s*(\w+),\s*(\w+)\)", re.MULTILINE)
PROGRAMS = ["verification_all", "verification_beams", "verification_control", "verification_designs", "verification_gradients", "verification_guides", "verification_own_laws", "verification_schools", "verification_surfaces", "verification_time_stepping", "verification_transmissions", "verification_wear", "verification_wear_life", "verification_worn_parts", "validation_all", "unit_films", "unit_laws", "unit_study"]
MANY = 40  # a case with more quantities shows those that use most of their tolerance
FEW = 6


def suite_files():
    """Files of the suite, and whether each of their tests belongs to it or only those with a Check."""
    for folder, whole in (("verification", True), ("validation", True), ("unit", False)):
        for path in sorted((ROOT / "tests" / folder).glob("**/*_test.cpp")):
            if whole or "Check check(" in path.read_text(encoding="utf-8"):
                yield path, whole


def tests_of(path, whole):
    text = path.read_text(encoding="utf-8")
    found = list(TEST.finditer(text))
    for match, after in zip(found, found[1:] + [None]):
        if match.group(1) in ("EveryRoot", "EveryStart"):  # the same tests at leisure, in a program of their own
            continue
        body = text[match.start():after.start() if after else len(text)]
        if whole or "Check check(" in body:
            yield f"{match.group(1)}.{match.group(2)}"


def suite():
    """{page: [test, ...]} of all tests in the sources."""
    return {path.stem.removesuffix("_test"): (path, list(tests_of(path, whole))) for path, whole in suite_files()}


def read_rows(file):
    cases = defaultdict(list)  # test -> cases
    for line in Path(file).read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        suite_name = case["suite"].split("/")
        name = f"{suite_name[1] if len(suite_name) > 1 else suite_name[0]}.{case['test'].split('/')[0]}"
        cases[name].append(case)
    return cases


def used(row):
    off = abs(row["found"] - row["expected"])
    return 0.0 if off == 0 else off / row["tolerance"] if row["tolerance"] > 0 else float("inf")


def number(x, digits=10):
    return f"{x:.{digits}g}"


def sentence(test):
    """A test's name as a sentence: B5BallDroppedOnAStop -> B5 ball dropped on a stop."""
    words = re.findall(r"[A-Z]?\d+(?:[a-z](?=[A-Z]))?|[A-Z]?[a-z]+|[A-Z]+(?![a-z])", test.split(".")[1])
    words = [w if i == 0 or re.match(r"[A-Z]?\d", w) else w.lower() for i, w in enumerate(words)]
    return " ".join(words)


def rows_shown(case):
    rows = case["rows"]
    return rows if len(rows) <= MANY else sorted(rows, key=used, reverse=True)[:FEW]


def page(stem, path, tests, cases):
    where = path.relative_to(ROOT).as_posix()
    lines = [
        f"# {stem.replace('_', ' ').capitalize()}",
        "",
        f"Generated from a run of `{where}` by `tools/verification_pages.py`; to change this page, change the tests. "
        "Of several comparisons under one name the one that used most of its tolerance is shown.",
    ]
    plain = []
    for test in tests:
        if test not in cases:
            plain.append(test)
            continue
        lines += ["", f"## {sentence(test)}", "", f"`{test}`"]
        for case in cases[test]:
            lines += ["", f"**{case['case']}**. Source: {case['source']}.", "",
                      "| quantity | compared | expected | found | off by | tolerance |", "|---|---|---|---|---|---|"]
            for r in rows_shown(case):
                expected = "below tolerance" if r["limit"] else number(r["expected"])
                lines.append(f"| {r['what'].replace('|', chr(92) + '|')} | {r['compared']} | {expected} | "
                             f"{number(r['found'], 3 if r['limit'] else 10)} | "
                             f"{abs(r['found'] - r['expected']):.1e} | {r['tolerance']:.1e} |")
            if len(case["rows"]) > len(rows_shown(case)):
                lines += ["", f"... and {len(case['rows']) - len(rows_shown(case))} more quantities, each closer to its "
                              "reference in terms of its tolerance."]
    if plain:
        lines += ["", "## Properties without a table", "", "Checked by assertions: counts, orders, messages, bit identity.", ""]
        lines += [f"- {sentence(t)}: `{t}`" for t in plain]
    return "\n".join(lines) + "\n"


def index_line(stem, tests, cases):
    own = [c for t in tests for c in cases.get(t, [])]
    rows = [r for c in own for r in c["rows"]]
    worst = f"{100 * max(map(used, rows)):.0f} %" if rows else "-"
    return (f"| [{stem.replace('_', ' ')}]({stem}.md) | {len(tests)} | {len(own)} | "
            f"{sum(r['compared'] for r in rows)} | {worst} |")


def index(table):
    lines = ["# What the suite finds", "",
             "Generated by `tools/verification_pages.py`. Definitions and sources of the lettered cases are in "
             "[cases](../cases.md).", "",
             "| page | tests | cases with a table | comparisons | largest share of a tolerance |", "|---|---|---|---|---|"]
    return "\n".join(lines + table) + "\n"


def without_source(cases):
    return sorted({f"{t}: case '{c['case']}' names no source" for t, all_ in cases.items() for c in all_ if not c["source"]})


def write(rows):
    cases, pages = read_rows(rows), suite()
    PAGES.mkdir(parents=True, exist_ok=True)
    for old in PAGES.glob("*.md"):
        old.unlink()
    for stem, (path, tests) in pages.items():
        (PAGES / f"{stem}.md").write_text(page(stem, path, tests, cases), encoding="utf-8")
    table = [index_line(stem, tests, cases) for stem, (_, tests) in pages.items()]
    (PAGES / "README.md").write_text(index(table), encoding="utf-8")
    return without_source(cases)


def update(rows):
    cases, pages, problems = read_rows(rows), suite(), []
    known = {}
    for line in (PAGES / "README.md").read_text(encoding="utf-8").splitlines():
        if found := re.match(r"\| \[[^]]*\]\((\w+)\.md\)", line):
            known[found.group(1)] = line
    for stem, (path, tests) in pages.items():
        if stem in known and not any(t in cases for t in tests):
            continue
        if missing := [t for t in with_table(stem) if t in tests and t not in cases]:
            problems.append(f"docs/verification/results/{stem}.md is left alone: the rows lack {', '.join(missing)}")
            continue
        (PAGES / f"{stem}.md").write_text(page(stem, path, tests, cases), encoding="utf-8")
        known[stem] = index_line(stem, tests, cases)
    (PAGES / "README.md").write_text(index([known[stem] for stem in pages]), encoding="utf-8")
    return problems + without_source(cases)


def listed(stem):
    file = PAGES / f"{stem}.md"
    return set(re.findall(r"`(\w+\.\w+)`", file.read_text(encoding="utf-8"))) if file.exists() else set()


def with_table(stem):
    file = PAGES / f"{stem}.md"
    return re.findall(r"^## .*\n\n`(\w+\.\w+)`", file.read_text(encoding="utf-8"), re.MULTILINE) if file.exists() else []


def check():
    problems = []
    pages = suite()
    for stem, (path, tests) in pages.items():
        on_page = {t for t in listed(stem) if not t.endswith(".py")} - {path.name}
        problems += [f"docs/verification/results/{stem}.md does not list {t}" for t in tests if t not in on_page]
        problems += [f"docs/verification/results/{stem}.md lists {t}, which is gone" for t in sorted(on_page - set(tests))]
    problems += [f"docs/verification/results/{f.name} belongs to no test file" for f in PAGES.glob("*.md")
                 if f.stem not in pages and f.stem != "README"]
    return problems


def compare(rows):
    """Every number of the pages against a run: expected values and tolerances alike, found ones within the tolerance."""
    cases, problems = read_rows(rows), []
    problems += without_source(cases)
    for stem, (path, tests) in suite().items():
        text = (PAGES / f"{stem}.md").read_text(encoding="utf-8") if (PAGES / f"{stem}.md").exists() else ""
        for test in tests:
            for case in cases.get(test, []):
                head = f"**{case['case']}**. Source: {case['source']}.\n"
                if head not in text:
                    problems.append(f"{stem}.md: no case '{case['case']}' with source '{case['source']}'")
                    continue
                before, _, text_after = text.partition(head)
                table = text_after.split("\n**")[0].split("\n## ")[0]
                text = before + text_after  # a test may note one case several times
                on_page = {c[0]: c for c in (re.split(r" (?<!\\)\| ", line[2:-2]) for line in table.splitlines()
                                             if line.startswith("| "))}
                for r in rows_shown(case) if len(case["rows"]) <= MANY else []:
                    cells = on_page.get(r["what"].replace("|", "\\|"))
                    if not cells:
                        problems.append(f"{stem}.md, {case['case']}: '{r['what']}' is not on the page")
                    elif not r["limit"] and case_differs(cells, r):
                        problems.append(f"{stem}.md, {case['case']}, {r['what']}: page {cells[2:4]}, run "
                                        f"{number(r['expected'])}, {number(r['found'])}")
    return problems


def case_differs(cells, row):
    """Does the page show another expected number than the run, or a found one outside its tolerance?"""
    compared, expected, found, tolerance = int(cells[1]), float(cells[2]), float(cells[3]), float(cells[5])
    off = abs(expected - row["expected"])
    if compared == 1 and row["compared"] == 1 and off > max(tolerance, 1e-9 * abs(expected)):
        return True  # of several comparisons another one may be the closest to its tolerance this time
    return abs(found - expected) > 1.01 * tolerance + 1e-9 * abs(expected) or used(row) > 1


def run(build, rows):
    rows = Path(rows).resolve()
    rows.unlink(missing_ok=True)
    wanted = [t for _, tests in suite().values() for t in tests]
    names = ":".join(f"{t}:*/{t}/*" for t in wanted)
    failed = []
    for program in PROGRAMS:
        done = subprocess.run([Path(build) / "tests" / program, "--gtest_brief=1", f"--gtest_filter={names}"],
                              env=os.environ | {"FREEPLAY_VERIFICATION_ROWS": str(rows)}, stdout=subprocess.DEVNULL)
        if done.returncode:
            failed.append(f"{program} ended with status {done.returncode}")
    return failed


def main():
    actions = {"write": write, "update": update, "compare": compare, "check": check, "run": run}
    if len(sys.argv) < 2 or sys.argv[1] not in actions:
        sys.exit(__doc__)
    problems = actions[sys.argv[1]](*sys.argv[2:])
    print("\n".join(problems) if problems else f"verification pages: {sys.argv[1]} done")
    return 1 if problems else 0


sys.exit(main())
