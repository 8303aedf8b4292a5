#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Fail when a file includes a header from a folder that is not to its left.

    core < contact_problem < tape < laws < films < model < fem < joints < dynamics < integrate < sim < analysis < study
    io sees core ... analysis; study sees io as well, since it reads study files and writes tables.
    report, on it gallery, then apps and python sit on top and see everything.

Inside `src/X`, project headers are included as "Y/name.hpp". A public header <freeplay/name.hpp>
belongs to the one folder that holds `name.cpp`; one without a source of its own, or with several
(plain types, umbrella headers), may be seen by everyone.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHAIN = [
    "core", "contact_problem", "tape", "laws", "films", "model", "fem", "joints", "dynamics", "integrate", "sim", "analysis",
    "study",
]

# Folder -> folders whose headers it may include, besides its own.
VISIBLE = {layer: set(CHAIN[:i]) for i, layer in enumerate(CHAIN)}
VISIBLE["io"] = set(CHAIN) - {"study"}
VISIBLE["study"].add("io")
VISIBLE["report"] = set(CHAIN) | {"io"}
VISIBLE["gallery"] = VISIBLE["report"] | {"report"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')


def layer_of_public(header):
    """Folder of the source that implements <freeplay/header>, or None."""
    owners = [d for d in VISIBLE if (ROOT / "src" / d / header).with_suffix(".cpp").exists()]
    return owners[0] if len(owners) == 1 else None


def layer_of_include(bracket, path):
    first, _, rest = path.partition("/")
    if first == "freeplay":
        return layer_of_public(rest)
    return first if bracket == '"' and first in VISIBLE and rest else None


def sources():
    """Every C++ file below src/ and include/freeplay/, with the folder it belongs to."""
    for path in sorted((ROOT / "src").glob("*/**/*.[ch]pp")):
        yield path, path.relative_to(ROOT / "src").parts[0]
    for path in sorted((ROOT / "include" / "freeplay").glob("**/*.hpp")):
        layer = layer_of_public(path.relative_to(ROOT / "include" / "freeplay").as_posix())
        if layer:
            yield path, layer


def main():
    problems = []
    for path, layer in sources():
        where = path.relative_to(ROOT).as_posix()
        if layer not in VISIBLE:
            problems.append(f"{where}: folder '{layer}' has no place in tools/check_layers.py")
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            target = layer_of_include(*match.groups())
            if target and target != layer and target not in VISIBLE[layer]:
                problems.append(f"{where}:{number}: {layer} must not include {match.group(2)} ({target})")
            if match.group(2).startswith(".."):
                problems.append(f"{where}:{number}: include \"folder/name.hpp\", not {match.group(2)}")
    print("\n".join(problems) if problems else "layers: every include points left")
    return 1 if problems else 0


sys.exit(main())
