# SPDX-License-Identifier: Apache-2.0
"""Tests of the Python package. `./dev test` runs them against build/PRESET/python; models are found from the source tree."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
os.chdir(ROOT)


@pytest.fixture
def cli():
    """Runs the command line and returns what it says."""
    program = os.environ["FREEPLAY_CLI"]

    def run(*arguments, check=True):
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, cwd=ROOT)
        assert not check or done.returncode == 0, done.stderr
        return done.stdout
    return run


@pytest.fixture
def python():
    """Runs a Python program with this package in its path."""
    def run(text, *arguments, **options):
        return subprocess.run([sys.executable, "-c", text, *map(str, arguments)], capture_output=True, text=True, cwd=ROOT,
                              timeout=300, **options)
    return run
