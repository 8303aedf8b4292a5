#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Check that every relative link in a Markdown file, and its #section, leads somewhere."""

import re
import sys
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
SKIP = {".git", "build", "out", "node_modules"}

LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
REFERENCE = re.compile(r"^\s*\[[^\]]+\]:\s+<?(\S+?)>?\s*$")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")


def prose(path):
    """(line number, text) outside fenced code, with inline code blanked."""
    fence = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        mark = re.match(r"\s*(```|~~~)", line)
        if mark:
            fence = mark.group(1) if fence is None else None if fence == mark.group(1) else fence
        elif fence is None:
            yield number, line


def anchors(path):
    """Section names as GitHub and GitLab derive them from headings."""
    found = set()
    for _, line in prose(path):
        match = HEADING.match(line)
        if match:
            text = re.sub(r"[^\w\- ]", "", match.group(1).lower()).replace(" ", "-")
            number = 0
            while (name := f"{text}-{number}" if number else text) in found:
                number += 1
            found.add(name)
    return found


def broken(page, target):
    if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", target):
        return None  # https:, mailto: ...
    file, _, section = unquote(target).partition("#")
    goal = ((ROOT / file.lstrip("/")) if file.startswith("/") else page.parent / file) if file else page
    if not goal.exists():
        return "no such file"
    if section and goal.suffix == ".md" and section not in anchors(goal):
        return "no such section"
    return None


def main():
    pages = [p for p in sorted(ROOT.rglob("*.md")) if not SKIP & set(p.relative_to(ROOT).parts)]
    problems, count = [], 0
    for page in pages:
        for number, line in prose(page):
            line = re.sub(r"`[^`]*`", "", line)
            for target in LINK.findall(line) + REFERENCE.findall(line):
                count += 1
                if reason := broken(page, target):
                    problems.append(f"{page.relative_to(ROOT)}:{number}: {target}: {reason}")
    print("\n".join(problems) if problems else f"links: {count} in {len(pages)} pages, all resolve")
    return 1 if problems else 0


sys.exit(main())
