# SPDX-License-Identifier: Apache-2.0
"""Many runs of one model: the studies of `freeplay study`, by the same scheduler, in the same words."""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
import weakref
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._errors import Interrupted, PathError, RunWarning
from ._model import Model, _command
from ._own import Watch, reraise
from ._progress import Bar, Wanted
from ._result import Array, refuse_to_overwrite, unpacked

if TYPE_CHECKING:
    import pandas

File = Union[str, "os.PathLike[str]"]

STATUS = ("done", "bad_model", "not_assembled", "failed", "audit_broken", "out_of_time")


class Table(Mapping[str, Array]):
    """The table of a study: `t["joints.pin.clearance.radial"]` (a variable), `t["joints/pin/normal_force/max"]` (an output).

    `t.section` holds the samples of every turn, with the number of their row in `t.section["row"]`; `t.results` what was
    concluded; `t.status` and `t.errors` how each row ended.
    """

    def __init__(self, file: File) -> None:
        self.path = os.fspath(file)
        held = _core.study_table(self.path)
        columns: dict[str, Any] = held["columns"]
        self._units: dict[str, str] = held["units"]
        self._words: dict[str, str] = held["words"]

        def below(group: str) -> dict[str, Array]:
            return {str(k[len(group):]): v for k, v in columns.items() if k.startswith(group)}

        self.inputs: dict[str, Array] = below("inputs/")
        for path, words in self._words.items():
            names = np.array([w.strip().strip('"') for w in words.split(",")])
            self.inputs[path[len("inputs/"):]] = names[columns[path].astype(int)]
        self.outputs: dict[str, Array] = below("outputs/")
        self.section: dict[str, Array] = below("section/")
        for key in ("row", "turn"):
            if key in self.section:
                self.section[key] = self.section[key].astype(np.int64)
        self.results: dict[str, Array] = below("results/")
        self.status: Array = columns["rows/status"].astype(np.int64)
        self.errors: list[str] = held["errors"]
        self.attributes: dict[str, Any] = held["attributes"]
        self.kind: str = self.attributes["kind"]

    def __getitem__(self, name: str) -> Array:
        for columns in (self.inputs, self.outputs):
            if name in columns:
                return columns[name]
        guess = _core.nearest(name, list(self))
        raise PathError(f"there is no column '{name}'" + (f"; did you mean '{guess}'?" if guess else ""))

    def __iter__(self) -> Iterator[str]:
        yield from self.inputs
        yield from self.outputs

    def __len__(self) -> int:
        return len(self.inputs) + len(self.outputs)

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    @property
    def rows(self) -> int:
        return len(self.status)

    def unit(self, name: str) -> str:
        """Unit of a column; variables are SI."""
        for group in ("inputs/", "outputs/", "section/", "results/"):
            if group + name in self._units:
                return self._units[group + name]
        self[name]
        return ""

    @property
    def best(self) -> dict[str, float]:
        """Of an optimisation or a fit: the variables and the goal reached."""
        return {k[len("best/"):]: float(v[0]) for k, v in self.results.items() if k.startswith("best/")}

    def to_dataframe(self, section: bool = False) -> "pandas.DataFrame":
        """Variables, outputs and status as a pandas table, a row each; or the samples of every turn."""
        import pandas
        if section:
            row = self.section["row"]
            return pandas.DataFrame({**{k: v[row] for k, v in self.inputs.items()}, **self.section})
        columns: dict[str, Any] = {**self.inputs, **self.outputs}
        return pandas.DataFrame({**columns, "status": [STATUS[s] for s in self.status]})

    def report(self, file: Optional[File] = None) -> str:
        """The page of `freeplay report` as HTML text, written to `file` if one is named."""
        page = _core.study_report(self.path)
        if file is not None:
            with open(os.fspath(file), "w", encoding="utf-8") as out:
                out.write(page)
        return page

    def _repr_html_(self) -> str:
        from html import escape
        return f'<iframe srcdoc="{escape(self.report())}" style="width:100%;height:640px;border:0"></iframe>'

    def __repr__(self) -> str:
        failed = int(np.count_nonzero(self.status))
        return f"<Table of a {self.kind}: {self.rows} rows, {failed} failed, {self.path}>"

    def __reduce__(self) -> tuple[Any, ...]:
        with open(self.path, "rb") as file:
            return unpacked, (file.read(), "study.h5", Table)


class Study:
    """A study of a model: `run` it as a whole, or its rows one by one wherever you like. Pickles.

    >>> import freeplay as fp
    >>> m = fp.load("examples/07_clearance/slider_crank.toml", set={"simulation.duration": "1 ms"})
    >>> s = fp.Study(m, "sweep", vary={"joints.pin.clearance.radial": ["0.1 mm", "0.5 mm"]}, observe=["contacts"])
    >>> len(s), s[1].inputs
    (2, {'joints.pin.clearance.radial': 0.0005})
    """

    def __init__(self, model: Model, kind: str, *, vary: Mapping[str, Any], observe: Sequence[str] = (),
                 measured: Optional[Mapping[str, Any]] = None, **keys: Any) -> None:
        """`vary`: paths and their values, as in a study file: a list, an array, `{"from": ..., "to": ..., "count": ...}` or a
        distribution. Further keys are those of the study file: section, turns, seed, samples, limits ...

        `measured`, for a fit: `{"series": ..., "time": array, "value": array}`, or a file of two columns in place of the arrays."""
        self._model = model.copy()
        self._tree: dict[str, Any] = {"kind": kind, "vary": dict(vary)}
        if observe:
            self._tree["observe"] = [observe] if isinstance(observe, str) else list(observe)
        self._tree.update({k: v for k, v in keys.items() if v is not None})
        self._measured = _numbers_of(measured) if measured is not None else None
        self._rows: Optional[_core.RowByRow] = None

    @property
    def text(self) -> str:
        """The study file, without its model."""
        return _core.toml({**self._tree, **({"measured": {"series": self._measured[0], "file": "measured.csv"}}
                                            if self._measured else {})})

    def _folder(self) -> "tempfile.TemporaryDirectory[str] | None":
        if self._measured is None:
            return None
        folder = tempfile.TemporaryDirectory(prefix="freeplay-")
        with open(os.path.join(folder.name, "measured.csv"), "w", encoding="utf-8") as file:
            file.writelines(f"{t!r}, {v!r}\n" for t, v in zip(self._measured[1], self._measured[2]))
        return folder

    # ---- as a whole

    def run(self, output: Optional[File] = None, *, workers: int = 0, resume: bool = False,
            progress: Wanted = None) -> Table:
        """Computes the rows on all cores (or so many workers) and returns the table.

        With `output` the table is that file, and what an interruption leaves goes on with `resume=True`; without it the
        file lives as long as the table."""
        folder = self._folder()
        bar = Bar(progress, lambda rows: f"{rows:.0f} rows")
        spare = tempfile.TemporaryDirectory(prefix="freeplay-") if output is None else None
        target = os.path.join(spare.name, "study.h5") if spare else os.fspath(output or "")
        refuse_to_overwrite(target)
        try:
            summary, notes, raised = _core.run_study(
                self._model._text, self.text, folder.name if folder else "", target, resume, workers, _command(), bar.show)
        except Exception as error:
            reraise(error)
        finally:
            bar.close()
            if folder:
                folder.cleanup()
        table = _finished(summary, raised)
        if spare:
            weakref.finalize(table, spare.cleanup)
        return table

    # ---- row by row

    def _plan(self) -> _core.RowByRow:
        if self._rows is None:
            folder = self._folder()
            try:
                self._rows = _core.RowByRow(self._model._text, self.text, folder.name if folder else "")
            finally:
                if folder:
                    folder.cleanup()
        return self._rows

    def __len__(self) -> int:
        return self._plan().rows()

    def __getitem__(self, row: int) -> "Row":
        if row < 0:
            row += len(self)
        self._plan().inputs(row)
        return Row(self, row)

    def __iter__(self) -> Iterator["Row"]:
        return (self[i] for i in range(len(self)))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_rows": None}


class Row:
    """One row of a study: call it to get its outputs, in any process. Pickles.

    >>> import freeplay as fp
    >>> m = fp.load("examples/07_clearance/slider_crank.toml", set={"simulation.duration": "1 ms"})
    >>> s = fp.Study(m, "sweep", vary={"joints.pin.clearance.radial": ["0.1 mm", "0.5 mm"]}, observe=["contacts"])
    >>> [row()["contacts"] for row in s]
    [4.0, 3.0]
    """

    def __init__(self, study: Study, row: int) -> None:
        self._study, self.row = study, row

    @property
    def inputs(self) -> dict[str, float]:
        """The variables: SI, or the number of a word."""
        plan = self._study._plan()
        return dict(zip(plan.variables(), plan.inputs(self.row)))

    @property
    def model(self) -> Model:
        """The model of this row, to be run and looked at by itself."""
        model = self._study._model
        text = model._text
        changes = text.changes + [(k, _quoted(v)) for k, v in self._study._tree.get("set", {}).items()]
        return Model(_core.ModelText(text.text, text.name, text.folder, changes + self._study._plan().changes(self.row),
                                     text.in_code))

    def __call__(self) -> dict[str, Any]:
        """Runs it. The outputs, and `status` (and `error`) as in the table of the study."""
        plan = self._study._plan()
        Watch.raised()
        status, error, outputs, _ = plan.run(self.row)
        raised = Watch.raised()
        if raised is not None:
            raise raised
        out: dict[str, Any] = {**self.inputs, **dict(zip(plan.outputs(), outputs)), "status": STATUS[status]}
        return {**out, "error": error} if error else out

    def __repr__(self) -> str:
        return f"<Row {self.row}: {self.inputs}>"


def _quoted(value: Any) -> str:
    return _core.toml({"x": value}).partition("= ")[2].strip()


def _numbers_of(measured: Mapping[str, Any]) -> tuple[str, list[float], list[float]]:
    if "file" in measured:
        columns = np.genfromtxt(measured["file"], delimiter=",", comments="#", ndmin=2)
        columns = columns[~np.isnan(columns).any(axis=1)]
        if columns.shape[1] != 2:
            raise ValueError(f"measured: {measured['file']} has {columns.shape[1]} columns, not two")
        time, value = columns[:, 0], columns[:, 1]
    else:
        time, value = np.asarray(measured["time"], dtype=float), np.asarray(measured["value"], dtype=float)
    if time.shape != value.shape or time.ndim != 1:
        raise ValueError("measured: 'time' and 'value' are arrays of one length")
    return str(measured["series"]), time.tolist(), value.tolist()


def _finished(summary: dict[str, Any], raised: Optional[BaseException]) -> Table:
    if raised is None:
        raised = Watch.raised()     # by a law of the program
    if raised is not None:
        if isinstance(raised, KeyboardInterrupt):
            raise Interrupted() from None
        raise raised
    for row, error in summary["failures"]:
        warnings.warn(f"row {row}: {error}", RunWarning, stacklevel=4)
    return Table(summary["result"])


def study(file: File, output: Optional[File] = None, *, workers: int = 0, resume: bool = False,
          progress: Wanted = None) -> Table:
    """Runs a study file, as `freeplay study` does; the result is NAME.h5 here unless `output` names another."""
    bar = Bar(progress, lambda rows: f"{rows:.0f} rows")
    if output is not None:
        refuse_to_overwrite(output)
    try:
        summary, _, raised = _core.run_study_file(os.fspath(file), os.fspath(output or ""), resume, workers, _command(),
                                                  bar.show)
    except Exception as error:
        reraise(error)
    finally:
        bar.close()
    return _finished(summary, raised)
