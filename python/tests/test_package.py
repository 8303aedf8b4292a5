# SPDX-License-Identifier: Apache-2.0
"""The package as a package: examples in docstrings, types, what an import costs."""

import doctest
import importlib
import pkgutil
import subprocess
import sys
import warnings

import pytest

import freeplay as fp

MODULES = ["freeplay"] + [f"freeplay.{m.name}" for m in pkgutil.iter_modules(fp.__path__) if m.name != "_core"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_what_is_public_is_documented():
    for name in fp.__all__:
        assert getattr(fp, name).__doc__, name
    assert fp.__version__.count(".") == 2


def test_importing_takes_nothing_but_numpy(python):
    done = python("import sys, freeplay; print(sorted(m.split('.')[0] for m in sys.modules "
                  "if m.split('.')[0] in {'matplotlib', 'pandas', 'xarray', 'h5py', 'IPython'}))")
    assert done.stdout.strip() == "[]", done.stderr
