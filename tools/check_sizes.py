#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Fail when a C++ file is longer than 500 lines, or a function longer than 120.

A function is a block in braces that stands in a namespace or a class, from the first line of what precedes it (name,
arguments) to its closing brace. Tables (`= {...}`) and the lambdas inside a function do not count on their own.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ["include", "src", "apps", "python"]
MAX_FILE, MAX_FUNCTION = 500, 120

# Not yet in pieces: file -> None for its length, or the names of functions. An entry that is no longer needed is an
# error, so that the list only shrinks.
EXCEPTIONS = {}

# Strings, characters and comments, whose braces do not count. An apostrophe between digits is none of them.
QUIET = re.compile(
    r'R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/',
    re.S)
PREPROCESSOR = re.compile(r'^[ \t]*#(?:[^\n\\]|\\.|\\\n)*', re.M)
TEMPLATE = re.compile(r'^\s*template\s*<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>(?:\s*requires[^{(]*)?')
SCOPE = re.compile(r'^\s*(?:inline\s+)?(namespace|class|struct|union|enum|extern)\b')
NAME = re.compile(r'((?:\w+::)*~?\w+|operator\W+)\s*\(')


def blank(match):
    """As many lines, without content."""
    return "\n" * match.group().count("\n")


def functions(text):
    """Name, first and last line of every function."""
    text = PREPROCESSOR.sub(blank, QUIET.sub(blank, text))
    line, begin, before = 1, None, ""  # what stands since the last end of a statement
    inside = []                        # of every open brace: None for a scope, else what it closes
    for c in text:
        if c == "{":
            plain = TEMPLATE.sub("", before)
            if any(inside):
                inside.append(True)
            elif SCOPE.match(plain):
                inside.append(None)
            else:
                name = NAME.search(plain)
                table = plain.rstrip().endswith("=")
                inside.append((begin or line, None if table else name.group(1) if name else "(block)"))
        elif c == "}":
            if not inside:
                raise ValueError(f"line {line}: a brace too many")
            block = inside.pop()
            if isinstance(block, tuple) and block[1]:
                yield block[1], block[0], line
        if c in "{};":
            begin, before = None, ""
        elif not any(inside):
            if begin is None and not c.isspace():
                begin = line
            before += c
        line += c == "\n"
    if inside:
        raise ValueError("a brace is missing")


def main():
    problems, excused = [], set()
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).glob("**/*.[ch]pp")):
            where = path.relative_to(ROOT).as_posix()
            text = path.read_text(encoding="utf-8")

            def report(what, length, most, name=None):
                if name in EXCEPTIONS.get(where, []):
                    excused.add((where, name))
                else:
                    problems.append(f"{where}{what} has {length} lines, more than {most}")

            length = text.count("\n")
            if length > MAX_FILE:
                report("", length, MAX_FILE)
            for name, first, last in functions(text):
                if last - first + 1 > MAX_FUNCTION:
                    report(f":{first}: {name}", last - first + 1, MAX_FUNCTION, name)
    for where, names in EXCEPTIONS.items():
        for name in names:
            if (where, name) not in excused:
                problems.append(f"{where}: {name or 'its length'} needs no exception any more: tools/check_sizes.py")
    print("\n".join(problems) if problems else
          f"sizes: no file over {MAX_FILE} lines, no function over {MAX_FUNCTION}"
          + (f", but for {len(excused)} exceptions" if excused else ""))
    return 1 if problems else 0


sys.exit(main())
