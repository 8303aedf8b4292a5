# SPDX-License-Identifier: Apache-2.0
"""Tests of the Python package. `./dev test` runs them against build/PRESET/python; models are found from the source tree."""

import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
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


def same_where_both_have_steps(one, other):
    """Two files of one run: which steps a long run keeps may depend on where it was taken up; their rows may not."""
    with h5py.File(one) as a, h5py.File(other) as b:
        of_a, of_b = a["solver/index"][:], b["solver/index"][:]
        common = np.intersect1d(of_a, of_b)
        assert len(common) > len(of_b) // 2
        series = []
        b.visititems(lambda name, item: series.append(name) if isinstance(item, h5py.Dataset)
                     and not name.startswith(("uniform/", "state/", "model/", "solver/", "events", "impacts")) else None)
        assert len(series) > 10
        for name in series:
            assert np.array_equal(a[name][:][np.isin(of_a, common)], b[name][:][np.isin(of_b, common)]), name
