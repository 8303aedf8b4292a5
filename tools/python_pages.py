#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What is made of the Python package for its readers, and committed: notebooks, the reference, type stubs.

usage: tools/python_pages.py write|check [notebooks] [reference] [stubs]

`check` fails where a file differs from a fresh one. Reference and stubs need the package in PYTHONPATH, stubs mypy's stubgen.
"""

import importlib
import inspect
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "python"
FENCE = re.compile(r"^```python\n(.*?)^```\n", re.S | re.M)
LINK = re.compile(r"\]\((?!https?:|#)([^)]+)\)")


def cells_of(text):
    """Kind and text, as the page has them."""
    at = 0
    for match in FENCE.finditer(text):
        if text[at:match.start()].strip():
            yield "markdown", text[at:match.start()].strip()
        yield "code", match.group(1).rstrip()
        at = match.end()
    if text[at:].strip():
        yield "markdown", text[at:].strip()


def notebook_of(page):
    """The page as a notebook without outputs, which begins in the root of the repository."""
    cells = list(cells_of(page.read_text(encoding="utf-8")))
    place = ("code", "import os\n\nos.chdir(\"../../..\")                                  # models are named from the root of the repository")
    cells.insert(1 if cells and cells[0][0] == "markdown" else 0, place)
    made = []
    for i, (kind, text) in enumerate(cells):
        if kind == "markdown":
            text = LINK.sub(r"](../\1)", text)
        cell = {"cell_type": kind, "id": f"cell-{i}", "metadata": {}, "source": text.splitlines(keepends=True)}
        made.append({**cell, "execution_count": None, "outputs": []} if kind == "code" else cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def notebooks():
    for page in sorted(PAGES.glob("[0-9]_*.md")):
        yield PAGES / "notebooks" / f"{page.stem}.ipynb", notebook_of(page)


# ---- reference

def signature_of(thing):
    try:
        text = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return ""
    return re.sub(r"(?:'|\b_\w+\.|\bnumpy\.|\bself, |\(self\))", lambda m: "()" if m.group() == "(self)" else "", text)


def text_of(thing):
    """The docstring, with its examples as code."""
    out, code = [], False
    for line in inspect.getdoc(thing).splitlines():
        prompt = line.startswith(">>>")
        if prompt and not code:
            out += ["```python"]
            code = True
        if code and not line.strip():
            out += ["```"]
            code = False
        out.append(line)
    return "\n".join(out + ["```"] * code)


def members_of(cls):
    """Public methods and properties that the class itself has something to say about."""
    for name, member in vars(cls).items():
        if name.startswith("_") and name != "__call__":
            continue
        plain = member.fget if isinstance(member, property) else member
        if callable(plain) and inspect.getdoc(plain):
            yield name, member


def section_of(name, thing, level="##"):
    if inspect.isclass(thing):
        made = "" if issubclass(thing, BaseException) else signature_of(thing.__init__).replace(" -> None", "")
        lines = [f"{level} `{name}{made if '*args' not in made else ''}`", "", text_of(thing), ""]
        for member_name, member in members_of(thing):
            if isinstance(member, property):
                lines += [f"- **`{member_name}`**: {inspect.getdoc(member.fget).splitlines()[0]}"]
            else:
                shown = "" if member_name == "__call__" else member_name
                lines += [f"- **`{shown}{signature_of(member)}`**: {' '.join(inspect.getdoc(member).split('>>>')[0].split())}"]
        return "\n".join(lines).rstrip() + "\n"
    return f"{level} `{name}{signature_of(thing)}`\n\n{text_of(thing)}\n"


def reference():
    fp = importlib.import_module("freeplay")
    parts = ["# Reference of the Python package\n", "Made from the docstrings by `./dev docs`; the examples in them are run by the tests.\n"]
    names = [n for n in fp.__all__ if n != "laws"]
    for heading, chosen in (("Functions", [n for n in names if inspect.isroutine(getattr(fp, n))]),
                            ("Classes", [n for n in names if inspect.isclass(getattr(fp, n))
                                         and not issubclass(getattr(fp, n), (BaseException,))]),
                            ("Exceptions and warnings", [n for n in names if inspect.isclass(getattr(fp, n))
                                                         and issubclass(getattr(fp, n), BaseException)])):
        parts.append(f"## {heading}\n")
        parts += [section_of(f"fp.{n}", getattr(fp, n), "###") for n in chosen]
    parts.append("## `fp.laws`\n\n" + text_of(fp.laws) + "\n")
    for kind in ("ContactLaw", "FrictionLaw", "FilmLaw", "TransitionLaw", "BushingLaw"):
        parts.append(section_of(kind, getattr(fp.laws, kind), "###"))
    yield PAGES / "reference.md", "\n".join(parts)


# ---- stubs

def stubs():
    """What stubgen reads off the compiled module."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["/usr/bin/stubgen", "-q", "-m", "freeplay._core", "-o", folder], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"stubgen failed: {done.stderr}")
        text = (Path(folder) / "freeplay" / "_core.pyi").read_text(encoding="utf-8")
    # pybind11 does not say what arrays, dictionaries and paths hold.
    text = re.sub(r"numpy\.ndarray(\[[^\]]*\])?", "NDArray[Any]", text)
    text = re.sub(r"\bobject\b", "Any", text)
    text = re.sub(r"\b(dict|list|tuple)\b(?!\[)", lambda m: {"dict": "dict[str, Any]", "list": "list[Any]",
                                                            "tuple": "tuple[Any, ...]"}[m.group(1)], text)
    text = re.sub(r"(-> .*)os\.PathLike", r"\1os.PathLike[str]", text)
    text = re.sub(r"os\.PathLike(?!\[)", "str | os.PathLike[str]", text)
    text = text.replace("List[", "list[").replace("Tuple[", "tuple[").replace("Dict[", "dict[")
    text = re.sub(r",(?=\w)", ", ", text)
    text = re.sub(r"Optional\[(\w+\[[^]]*\]|\w+)\]", r"\1 | None", text).replace(": function", ": Callable[..., Any]")
    text = text.replace("(self, *args, **kwargs)", "(self, *args: Any, **kwargs: Any)")
    lines = [line for line in text.splitlines() if not line.startswith(("from typing", "import numpy", "import os"))]
    head = ["# SPDX-License-Identifier: Apache-2.0", "# Made by `./dev docs` from the compiled module; do not edit.", "import os",
            "from typing import Any, Callable", "", "from numpy.typing import NDArray", ""]
    while lines and not lines[0].strip():
        lines.pop(0)
    yield ROOT / "python" / "freeplay" / "_core.pyi", "\n".join(head + lines).rstrip() + "\n"


def main():
    mode, kinds = sys.argv[1], sys.argv[2:] or ["notebooks", "reference", "stubs"]
    bad = []
    for kind in kinds:
        for path, text in {"notebooks": notebooks, "reference": reference, "stubs": stubs}[kind]():
            if mode == "write":
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            elif not path.exists() or path.read_text(encoding="utf-8") != text:
                bad.append(path.relative_to(ROOT).as_posix())
    print("\n".join(f"{name} is out of date; ./dev docs" for name in bad) or f"{', '.join(kinds)}: up to date")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
