# SPDX-License-Identifier: Apache-2.0
"""The figures of the papers, run again, and what they claim, measured: `freeplay reproduce`."""

from __future__ import annotations

import os
import re
import warnings
from typing import Any, Iterator, Mapping, Union

from . import _core
from ._errors import Interrupted, PathError, RunWarning
from ._progress import Bar, Wanted

File = Union[str, "os.PathLike[str]"]


class Figure:
    """A figure of a paper: `diagrams` (caption and SVG), `claims` with what was measured and the verdict. Shows itself in a
    notebook."""

    def __init__(self, made: Mapping[str, Any]) -> None:
        self.name: str = made["name"]
        self.paper: str = made["paper"]
        self.figure: str = made["figure"]
        self.shows: str = made["shows"]
        self.claims: list[dict[str, Any]] = made["claims"]
        self.diagrams: list[tuple[str, str]] = made["diagrams"]

    def _repr_html_(self) -> str:
        from html import escape
        pictures = "".join(f"<figure>{svg[svg.find('<svg'):]}<figcaption>{escape(caption)}</figcaption></figure>"
                           for caption, svg in self.diagrams)
        return f"<h4>{escape(self.paper)}, {escape(self.figure)}</h4><p>{escape(self.shows)}</p>{pictures}"

    def __repr__(self) -> str:
        return f"<Figure {self.name}: {self.paper}, {self.figure}; {len(self.diagrams)} diagrams, {len(self.claims)} claims>"


class Gallery(Mapping[str, Figure]):
    """Figures by name; `page` is all of them as one HTML page."""

    def __init__(self, figures: list[dict[str, Any]], page: str) -> None:
        self._figures = {f["name"]: Figure(f) for f in figures}
        self.page = page

    def __getitem__(self, name: str) -> Figure:
        if name not in self._figures:
            raise PathError(f"there is no figure '{name}'; {_core.did_you_mean(name, list(self._figures))}")
        return self._figures[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    def _repr_html_(self) -> str:
        return "".join(f._repr_html_() for f in self._figures.values())


def figures(folder: File = "reproduce") -> list[str]:
    """Names of the figure files in a folder, in the order of the papers; `reproduce` is that of the repository.

    >>> import freeplay as fp
    >>> fp.figures()[0]
    'f1-fig5'
    """
    names = [name[:-len(".toml")] for name in os.listdir(folder) if name.endswith(".toml")]
    return sorted(names, key=lambda name: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)])


def reproduce(*names: str, folder: File = "reproduce", workers: int = 0, progress: Wanted = None) -> Gallery:
    """Runs figures again ("f1-fig5"; "f1" is all of a paper; nothing: all) and measures what they claim."""
    known = figures(folder)
    chosen: list[str] = []
    for name in names or known:
        found = [k for k in known if k == name or k.startswith(f"{name}-")]
        if not found:
            raise PathError(f"there is no figure '{name}' in {os.fspath(folder)}; {_core.did_you_mean(str(name), known)}")
        chosen += [k for k in found if k not in chosen]
    bar = Bar(progress, lambda runs: f"{runs:.0f} runs")
    try:
        made, page, failures, raised = _core.reproduce([os.path.join(folder, f"{k}.toml") for k in chosen], workers, bar.show)
    finally:
        bar.close()
    if raised is not None:
        if isinstance(raised, KeyboardInterrupt):
            raise Interrupted() from None
        raise raised
    for failure in failures:
        warnings.warn(f"a run failed: {failure}", RunWarning, stacklevel=2)
    return Gallery(made, page)
