#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Read the JUnit files of ctest; end with `N passed, N failed` alone on a line.

A test that skips itself is listed by name and counts as neither; a test that could not be run
(its program is missing, a fixture broke) counts as failed. Exit status 1 unless all is well.
"""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def main():
    outcome = {"passed": [], "failed": [], "skipped": []}
    for path in map(Path, sys.argv[1:]):
        if not path.exists():
            outcome["failed"].append(f"no test was run: there is no {path}")
            continue
        for case in ElementTree.parse(path).getroot().iter("testcase"):
            skipped = case.find("skipped")
            if case.get("status") == "run":
                kind = "passed"
            elif skipped is not None and skipped.get("message", "").startswith("SKIP_"):
                kind = "skipped"
            else:
                kind = "failed"
            outcome[kind].append(case.get("name"))

    print()
    for kind in ("skipped", "failed"):
        for name in outcome[kind]:
            print(f"{kind}: {name}")
    if outcome["skipped"]:
        print(f"{len(outcome['skipped'])} skipped")
    print(f"{len(outcome['passed'])} passed, {len(outcome['failed'])} failed")
    return 0 if outcome["passed"] and not outcome["failed"] else 1


sys.exit(main())
