#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Fail when a comment or a page cites something that is not in the repository.

Pages are cited by their path below docs/ without the ending, equations by their number, cases by their letter:

    theory/gaps (G.7)      theory/contact_laws (C.4), (C.5)      verification/cases A3      papers/silva      guide/studies

Where they are defined:

    equations   docs/theory/*.md: at the end of an indented line, as a cell of a table, or in bold: **(C.7)**
    cases       docs/verification/cases.md: a section "## A. Rigid multibody", a paragraph "**A3 Andrews' ...**", a list item of H
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ["apps", "bench", "cmake", "docs", "examples", "include", "mechanisms", "reproduce", "src", "tests", "tools", "web"]
FILES = ["CHANGELOG.md", "CMakeLists.txt", "CONTRIBUTING.md", "README.md", "dev"]
ENDINGS = {".cpp", ".hpp", ".py", ".md", ".toml", ".json", ".txt", ".cmake", ".m", ".xml", ".mjs", ".js", ".ts", ".css", ".html", ""}
SKIP = {"node_modules", "dist", "build", "out", "__pycache__", "pictures"}

EQUATION = re.compile(r"\(([A-Z]{1,2})\.(\d+)\)")
DEFINED = re.compile(r"^ {4,}.*\(([A-Z]{1,2}\.\d+)\)\s*$|\| \(([A-Z]{1,2}\.\d+)\) \||\*\*\(([A-Z]{1,2}\.\d+)\)\*\*", re.MULTILINE)
PAGE = re.compile(r"(?<![\w/.-])(theory|verification|papers|decisions|guide|reference)/([a-z][\w-]*|\d{3}-[\w-]+)(?![\w/]|\.[hc]pp|\.cc|\.bib)")
CASE = re.compile(r"\b(?:verification/)?[Cc]ases? ([A-Z])(\d+b?)?(?:(?:-| to |, | and |, and )\1(\d+b?))*\b(?![\w=:*(])")
# Pages that never were in the repository, as they used to be cited.
GONE = [
    re.compile(r"(?<![\w/])(?<!\]\()(?:physics|design|cases|papers|errata|reliability|style)\.md\b"),
    re.compile(r"\bphysics,? (?:section |annex |§ ?)?\d", re.IGNORECASE),
    re.compile(r"\bdesign,? (?:section |§ ?)?\d"),
    re.compile(r"\b(?:papers|reliability) [F]?\d"),
    re.compile(r"\b(?:physics )?annex [AB]\b", re.IGNORECASE),
    re.compile(r"\berrata(?::|,| of) "),
]


def files():
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix in ENDINGS and not SKIP & set(path.relative_to(ROOT).parts):
                yield path
    yield from (ROOT / name for name in FILES)


def equations():
    """{number: page} and the numbers that are defined twice."""
    found, twice = {}, []
    for page in sorted((ROOT / "docs" / "theory").glob("*.md")):
        for match in DEFINED.finditer(page.read_text(encoding="utf-8")):
            number = next(filter(None, match.groups()))
            if number in found:
                twice.append(f"docs/theory/{page.name}: ({number}) is defined twice")
            found[number] = f"theory/{page.stem}"
    return found, twice


def cases():
    text = (ROOT / "docs" / "verification" / "cases.md").read_text(encoding="utf-8")
    found = set(re.findall(r"^## ([A-Z])\. ", text, re.MULTILINE))
    found |= set(re.findall(r"\*\*([A-Z]\d+b?) ", text))
    found |= set(re.findall(r"\b(F\d+b?)[,:]", text))
    rest = text[text.index("## H."):]
    found |= {f"H{n}" for n in re.findall(r"^(\d+)\. ", rest, re.MULTILINE)}
    return found


def cited_pages(text):
    """(start, 'theory/gaps', the equation numbers that follow it) of every page cited."""
    for match in PAGE.finditer(text):
        name = f"{match.group(1)}/{match.group(2)}"
        # Comment marks and line ends may come between a page and its numbers.
        tail = re.match(r"(?:\.md)?(?:[\s/*#%]*(?:,|and|to|,\s*and)?[\s/*#%]*\([A-Z]\.\d+\))+", text[match.end():])
        yield match.start(), name, [f"{a}.{b}" for a, b in EQUATION.findall(tail.group(0))] if tail else []


def problems_of(path, numbers, known_cases):
    text = path.read_text(encoding="utf-8", errors="replace")

    def at(place, message):
        return f"{path.relative_to(ROOT).as_posix()}:{text.count(chr(10), 0, place) + 1}: {message}"

    for pattern in GONE:
        for match in pattern.finditer(text):
            yield at(match.start(), f"'{match.group(0)}' cites a page that is not in the repository")
    for start, page, cited in cited_pages(text):
        if not (ROOT / "docs" / f"{page}.md").exists() and not (ROOT / "docs" / page).is_dir():
            yield at(start, f"there is no docs/{page}.md")
        for number in cited:
            if numbers.get(number) != page:
                yield at(start, f"({number}) is not an equation of {page}")
    for match in EQUATION.finditer(text):
        number = f"{match.group(1)}.{match.group(2)}"
        if any(n.startswith(match.group(1)) for n in numbers) and number not in numbers:
            yield at(match.start(), f"there is no equation ({number})")
    if path.suffix not in {".cmake"}:
        for match in CASE.finditer(text):
            letter, ids = match.group(1), re.findall(r"\d+b?", match.group(0))
            if letter not in known_cases:
                continue  # a word of the language, or of another field
            for one in ids:
                if f"{letter}{one}" not in known_cases:
                    yield at(match.start(), f"docs/verification/cases.md has no case {letter}{one}")


def main():
    numbers, problems = equations()
    known_cases, count = cases(), 0
    for path in files():
        if path == Path(__file__).resolve():
            continue
        count += 1
        problems += problems_of(path, numbers, known_cases)
    print("\n".join(problems) if problems else
          f"citations: {count} files, {len(numbers)} equations, {len(known_cases)} cases, nothing dangles")
    return 1 if problems else 0


sys.exit(main())
