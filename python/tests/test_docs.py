# SPDX-License-Identifier: Apache-2.0
"""The tutorial: its pages run, its notebooks are made from them and run too, and its examples have sound types."""

import importlib.util
import json
import os
import subprocess
import sys
import warnings

import pytest

from conftest import ROOT

spec = importlib.util.spec_from_file_location("python_pages", ROOT / "tools" / "python_pages.py")
pages = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pages)

PAGES = sorted(p.name for p in (ROOT / "docs" / "python").glob("[0-9]_*.md"))


def code_of(name):
    text = (ROOT / "docs" / "python" / name).read_text(encoding="utf-8")
    return [code for kind, code in pages.cells_of(text) if kind == "code"]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_runs(name, tmp_path, monkeypatch):
    importlib.import_module("matplotlib").use("Agg")
    names = {}
    for code in code_of(name):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(compile(code, name, "exec"), names)


def test_there_are_six_pages_and_their_notebooks_are_fresh():
    assert len(PAGES) == 6
    assert all(path.read_text(encoding="utf-8") == text for path, text in pages.notebooks())


def test_the_reference_is_fresh():
    assert all(path.read_text(encoding="utf-8") == text for path, text in pages.reference())


def test_stubs_are_those_of_the_module():
    assert all(path.read_text(encoding="utf-8") == text for path, text in pages.stubs())


def test_types_of_the_package_and_of_every_example(tmp_path):
    files = []
    for name in [*PAGES, "../../README.md"]:
        code = "\n\n".join(code_of(name))
        if code:
            files.append(tmp_path / f"page_{len(files)}.py")
            files[-1].write_text(code + "\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "--strict", "--cache-dir",
                           str(tmp_path / "cache"), "-p", "freeplay"], capture_output=True, text=True, cwd=ROOT,
                          env={**os.environ, "MYPYPATH": str(ROOT / "python")})
    assert done.returncode == 0, done.stdout
    for file in files:
        done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "--strict", "--cache-dir",
                               str(tmp_path / "cache"), str(file)], capture_output=True, text=True, cwd=ROOT,
                              env={**os.environ, "MYPYPATH": str(ROOT / "python")})
        assert done.returncode == 0, done.stdout


def execute(name, folder, form="notebook"):
    source = ROOT / "docs" / "python" / "notebooks" / name
    done = subprocess.run([sys.executable, "-m", "nbconvert", "--to", form, "--execute", "--output-dir", str(folder),
                           "--output", name.replace(".ipynb", ""), str(source)], capture_output=True, text=True,
                          env={**os.environ, "PYTHONWARNINGS": "ignore"}, timeout=280)
    assert done.returncode == 0, done.stderr
    return folder / (name if form == "notebook" else name.replace(".ipynb", ".html"))


@pytest.mark.parametrize("name", [p.replace(".md", ".ipynb") for p in PAGES])
def test_a_notebook_runs_from_top_to_bottom(name, tmp_path):
    for needed in ("nbconvert", "ipykernel", "matplotlib"):
        importlib.import_module(needed)
    book = json.loads(execute(name, tmp_path).read_text())
    outputs = [o for cell in book["cells"] for o in cell.get("outputs", [])]
    assert not any(o["output_type"] == "error" for o in outputs)
    if name.startswith("1_"):
        pages_shown = [o["data"]["text/html"] for o in outputs if "text/html" in o.get("data", {})]
        assert any("<iframe srcdoc=" in "".join(html) for html in pages_shown)       # the report itself
        assert any("image/png" in o.get("data", {}) for o in outputs)                # the plot
