# SPDX-License-Identifier: Apache-2.0
"""Models: the text of a model file, the changes made to it, and what can be asked of it.

A model stays a document until it is needed: attributes are the keys of the file, values are what the file may hold (SI
numbers, or strings with units), and every check and message is that of the file.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Sequence, Union

from . import _core
from ._errors import Interrupted, ModelWarning, RunFailed, RunWarning
from ._own import Watch, reraise
from ._progress import Bar, Wanted
from ._result import Result, open_result, refuse_to_overwrite

if TYPE_CHECKING:
    from ._study import Table as StudyTable

File = Union[str, "os.PathLike[str]"]


class Table:
    """A table of the model, such as `m.joints.pin`: attributes or items are its keys.

    >>> import freeplay as fp
    >>> m = fp.load("examples/07_clearance/slider_crank.toml")
    >>> m.joints.pin.clearance.radial
    '0.5 mm'
    >>> m.joints.pin.clearance.radial = "0.2 mm"
    >>> m.joints.pin.clearance = None          # the joint is ideal again
    >>> list(m.joints)
    ['crank_bearing', 'crank_pin', 'pin', 'guide']
    """

    __slots__ = ("_model", "_path")
    _model: "Model"
    _path: str

    def __init__(self, model: "Model", path: str) -> None:
        object.__setattr__(self, "_model", model)
        object.__setattr__(self, "_path", path)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._model[f"{self._path}.{name}"]

    def __setattr__(self, name: str, value: Any) -> None:
        self._model[f"{self._path}.{name}"] = value

    def __delattr__(self, name: str) -> None:
        self._model[f"{self._path}.{name}"] = None

    def __getitem__(self, name: str) -> Any:
        return self._model[f"{self._path}.{name}"]

    def __setitem__(self, name: str, value: Any) -> None:
        self._model[f"{self._path}.{name}"] = value

    def __delitem__(self, name: str) -> None:
        self._model[f"{self._path}.{name}"] = None

    def __contains__(self, name: object) -> bool:
        return name in self.to_dict()

    def __iter__(self) -> Iterator[str]:
        return iter(self.to_dict())

    def __len__(self) -> int:
        return len(self.to_dict())

    def __dir__(self) -> list[str]:
        return ["to_dict", *self.to_dict()]

    def __eq__(self, other: object) -> bool:
        return self.to_dict() == (other.to_dict() if isinstance(other, Table) else other)

    def __repr__(self) -> str:
        return f"{self._path} = {self.to_dict()!r}"

    def to_dict(self) -> dict[str, Any]:
        """The table as written, as plain dictionaries and lists."""
        table = self._model._text.get(self._path)
        return {k: v for k, v in table.items() if v is not False} if isinstance(table, dict) else {}


class Model:
    """A mechanism and what is to be computed of it. Made by `load`, `loads` or `Mechanism`.

    Attributes are the sections of the file (`m.bodies`, `m.joints`, `m.simulation` ...); `m["joints.pin.clearance.radial"]` reads
    and writes by the path that `--set` takes. Copies are independent; models pickle.
    """

    _text: _core.ModelText
    _ready: Optional[_core.ReadyModel]
    #: What was left of the last run when Ctrl-C ended it.
    interrupted: Optional[Result]

    def __init__(self, text: _core.ModelText) -> None:
        self.__dict__.update(_text=text, _ready=None, interrupted=None)

    # ---- the document

    def __getitem__(self, path: str) -> Any:
        value = self._text.get(path)
        return Table(self, path) if isinstance(value, dict) else value

    def __setitem__(self, path: str, value: Any) -> None:
        self._text.set(path, value.to_dict() if isinstance(value, Table) else value)
        self.__dict__["_ready"] = None

    def __delitem__(self, path: str) -> None:
        self[path] = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = self[name]
        return Table(self, name) if value is None else value   # a section that is not written yet

    def __setattr__(self, name: str, value: Any) -> None:
        if name in type(self).__annotations__ or name.startswith("_"):
            self.__dict__[name] = value
        else:
            self[name] = value

    def __dir__(self) -> list[str]:
        sections = self._text.get("")
        return [*super().__dir__(), *(sections if isinstance(sections, dict) else ())]

    def set(self, changes: Mapping[str, Any]) -> "Model":
        """Changes several paths at once, as `--set` does, and returns the model."""
        for path, value in changes.items():
            self[path] = value
        return self

    def copy(self, set: Optional[Mapping[str, Any]] = None) -> "Model":
        """Another model with the same text and changes, and with these."""
        return Model(self._text.copy()).set(set or {})

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> "Model":
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        t = self._text
        return _restore, (t.text, t.name, t.folder, t.changes, t.in_code, _core.plugins_allowed())

    def __repr__(self) -> str:
        changes = len(self._text.changes)
        return f"<Model {self._text.name or 'in memory'}{f', {changes} changes' if changes else ''}>"

    def toml(self) -> str:
        """The model as the text of a file, changes included."""
        return self._text.toml()

    def save(self, file: File) -> None:
        """Writes the model as a file."""
        with open(os.fspath(file), "w", encoding="utf-8") as out:
            out.write(self.toml())

    # ---- what it means

    def ready(self) -> _core.ReadyModel:
        """Reads and checks the model; raises `ModelError` with everything that is wrong."""
        Watch.raised()      # what a law raised in something else is no concern of this
        if self._ready is None:
            try:
                ready = self._text.ready()
            except Exception as error:
                reraise(error)
            for issue in ready.warnings:
                warnings.warn(str(issue), ModelWarning, stacklevel=_outside())
            self.__dict__["_ready"] = ready
        assert self._ready is not None
        return self._ready

    @property
    def digest(self) -> str:
        """SHA-256 of the resolved model; equal for models that give the same results."""
        return self.ready().digest()

    def resolved(self) -> str:
        """The canonical form: SI numbers, points in body frames, nothing left to a default."""
        return self.ready().resolved()

    def check(self) -> dict[str, Any]:
        """Assembles the mechanism: degrees of freedom, redundant constraints, residuals, notes.

        Raises `ModelError` or `AssemblyError`.

        >>> import freeplay as fp
        >>> fp.load("mechanisms/four_bar.toml").check()["degrees_of_freedom"]
        1
        """
        ready = self.ready()
        try:
            return ready.assemble()
        except Exception as error:
            reraise(error)

    def equilibrium(self) -> dict[str, Any]:
        """Where the mechanism comes to rest, and what its joints carry there."""
        ready = self.ready()
        try:
            return ready.equilibrium()
        except Exception as error:
            reraise(error)

    def modes(self, at_start: bool = False) -> list[dict[str, Any]]:
        """Natural frequencies and damping about the equilibrium, or about the start; the slowest first."""
        ready = self.ready()
        try:
            return ready.modes(at_start)
        except Exception as error:
            reraise(error)

    def tolerance(self, of: Union[str, Sequence[str]], dimensions: Optional[Mapping[str, str]] = None, *,
                  positions: int = 37, between: Optional[tuple[float, float]] = None, anywhere: bool = False,
                  samples: int = 0, seed: int = 1) -> dict[str, Any]:
        """Errors of positions and angles by play and by dimensions, without dynamics (see `freeplay tolerance`).

        `dimensions` names values of the file with their tolerances. `outputs` of the answer has an entry for each
        series, with arrays over the working range: `low` and `high` are worst cases, `shares` has a column for each
        of `loose`.

        >>> import freeplay as fp
        >>> engine = fp.load("examples/07_clearance/slider_crank.toml")
        >>> found = engine.tolerance("bodies/slider/position.x", {"parameters.rod": "120 mm+-0.05 mm"})
        >>> round(float(found["outputs"]["bodies/slider/position.x"]["high"][0]), 9)
        0.00055
        """
        return self.ready().tolerance([of] if isinstance(of, str) else list(of), dict(dimensions or {}),
                                      lambda values: self.copy(values).ready(), positions, between, anywhere,
                                      samples, seed)

    def gradient(self, of: Union[str, Sequence[str]], wrt: Union[str, Sequence[str]], *, central: bool = False,
                 step: float = 0, workers: int = 0) -> dict[str, Any]:
        """How what a run yields changes with numbers of the model, through touches, stick and slip (see `freeplay gradient`).

        `of` names series at the end (`"bodies/slider/position.x"`) or at an instant (`"... at 3 ms"`), `"max SERIES"`
        (also `min`, `range`, `mean`, `rms`), or times of events (`"touch 2 joints/pin"`). `outputs` of the answer has for
        each the `value`, and by the `variables` the `slope` with its `error`; or why it is `refused`.

        >>> import freeplay as fp
        >>> engine = fp.load("examples/07_clearance/slider_crank.toml", set={"simulation.duration": "1 ms"})
        >>> found = engine.gradient("touch joints/pin", "joints.pin.clearance.radial")
        >>> round(float(found["outputs"]["touch joints/pin"]["slope"][0]), 5)
        0.22801
        """
        def words(given: Union[str, Sequence[str]]) -> list[str]:
            return [given] if isinstance(given, str) else list(given)

        found: dict[str, Any]
        try:
            found, raised = _core.gradient(self._text, words(of), words(wrt), central, step, workers)
        except Exception as error:
            reraise(error)
        if raised is not None:
            raise raised
        return found

    # ---- runs

    def run(self, file: Optional[File] = None, *, set: Optional[Mapping[str, Any]] = None, check: bool = False,
            resume: bool = False, progress: Wanted = None, time_limit: float = 0, steps: bool = True,
            uniform: bool = True, states: bool = True, peaks: bool = True,
            record: Optional[Mapping[str, Any]] = None) -> Result:
        """Simulates: in memory, or streamed into a result file. What an interruption left of that file goes on with
        `resume=True`, to the last bit as if it had never stopped; results opened from what was left must be let go before.

        `record` says what a file keeps, as `record` of the model file does: `record={"every": 1}` all steps, `record={"steps": False,
        "series": ["bodies/ram/*"]}` some series on the grid alone. `set` changes paths for this run alone. A run that fails returns the motion up to then and warns, or raises
        `RunFailed` with `check=True`. Ctrl-C raises `Interrupted`, whose `result` (also `model.interrupted`) holds the motion so
        far. In memory, less can be kept, which is quicker: `steps=False` or `uniform=False` leaves out the series at the steps
        or on the grid, `states=False` the states (no values between steps), `peaks=False` does not look for the largest force of
        each contact. `progress`: True, False, a function of the share
        done and the time, or None (where somebody is watching).

        >>> import freeplay as fp
        >>> r = fp.load("mechanisms/pendulum.toml").run()
        >>> r.status
        'done'
        """
        if record is not None:
            set = {**(set or {}), "simulation.record": dict(record)}
        model = self.copy(set) if set else self
        bar = Bar(progress, lambda time: f"t = {time:.4g} s")
        ready = model.ready()
        watch = Watch()
        try:
            if file is None:
                if resume:
                    raise ValueError("only a run into a file can be resumed; name the file")
                kept, notes, raised = _core.run_in_memory(ready, time_limit, steps, uniform, states, peaks, bar.show)
                result = Result(kept)
            else:
                if not (steps and uniform and states and peaks):
                    raise ValueError("a file holds everything: leave out steps, uniform, states and peaks")
                refuse_to_overwrite(file)
                if resume:
                    self.__dict__["interrupted"] = None     # it would hold open what is to be written
                where, notes, raised = _core.run_into_file(ready, os.fspath(file), _command(), time_limit, resume, bar.show)
                result = open_result(where)
        except Exception as error:
            reraise(error)
        finally:
            bar.close()
        result.law_time = watch.shares()
        if raised is None:
            raised = watch.raised()
        if raised is not None:
            self.__dict__["interrupted"] = result
            if isinstance(raised, KeyboardInterrupt):
                raise Interrupted(result) from None
            raise raised
        for note in notes:
            warnings.warn(note, ModelWarning, stacklevel=2)
        for warning in result.summary["warnings"]:
            warnings.warn(warning, RunWarning, stacklevel=2)
        if not result.ok:
            if check:
                raise RunFailed(result)
            warnings.warn(result.trouble, RunWarning, stacklevel=2)
        return result

    # ---- studies

    def study(self, kind: str, vary: Mapping[str, Any], observe: Sequence[str] = (), *, output: Optional[File] = None,
              workers: int = 0, resume: bool = False, progress: Wanted = None, **keys: Any) -> "StudyTable":
        """A study of any kind, with the keys of a study file; see `Study`. Returns its table."""
        from ._study import Study
        return Study(self, kind, vary=vary, observe=observe, **keys).run(output, workers=workers, resume=resume,
                                                                         progress=progress)

    def sweep(self, vary: Mapping[str, Any], observe: Sequence[str] = (), **keys: Any) -> "StudyTable":
        """Runs the model for every value, or every combination of values.

        >>> import freeplay as fp
        >>> m = fp.load("examples/07_clearance/slider_crank.toml", set={"simulation.duration": "1 ms"})
        >>> t = m.sweep({"joints.pin.clearance.radial": ["0.1 mm", "0.5 mm"]}, observe=["contacts"])
        >>> t["contacts"]
        array([4., 3.])
        """
        return self.study("sweep", vary, observe, **keys)

    def bifurcation(self, vary: Mapping[str, Any], observe: Sequence[str], *, section: Mapping[str, Any],
                    turns: Mapping[str, Any], **keys: Any) -> "StudyTable":
        """A sweep that looks once a turn; the samples are in `table.section`."""
        return self.study("bifurcation", vary, observe, section=section, turns=turns, **keys)

    def periodic(self, vary: Mapping[str, Any], observe: Sequence[str], *, section: Mapping[str, Any],
                 turns: Mapping[str, Any], **keys: Any) -> "StudyTable":
        """Periodic orbits, stable or not, with their Floquet multipliers; `start="continue"` follows them from row to row."""
        return self.study("periodic", vary, observe, section=section, turns=turns, **keys)

    def monte_carlo(self, vary: Mapping[str, Any], observe: Sequence[str], *, samples: int, **keys: Any) -> "StudyTable":
        """Random values from distributions: moments, quantiles, probabilities with their confidence."""
        return self.study("monte-carlo", vary, observe, samples=samples, **keys)

    def sensitivity(self, vary: Mapping[str, Any], observe: Sequence[str], *, samples: int, **keys: Any) -> "StudyTable":
        """Sobol indices: the share of the variance that each variable causes."""
        return self.study("sensitivity", vary, observe, samples=samples, **keys)

    def interval(self, vary: Mapping[str, Any], observe: Sequence[str], **keys: Any) -> "StudyTable":
        """Bounds of the outputs over the box of all ranges."""
        return self.study("interval", vary, observe, **keys)

    def optimise(self, vary: Mapping[str, Any], *, minimise: Optional[str] = None, maximise: Optional[str] = None,
                 **keys: Any) -> "StudyTable":
        """The smallest or largest value of an output within the ranges; see `table.best`."""
        return self.study("optimise", vary, minimise=minimise, maximise=maximise, **keys)

    def fit(self, vary: Mapping[str, Any], *, measured: Mapping[str, Any], **keys: Any) -> "StudyTable":
        """Adjusts parameters until a series agrees with a measured one; see `table.best`.

        `measured`: `{"series": path, "time": array, "value": array}`, or `"file"`, of two columns, in place of the arrays."""
        return self.study("fit", vary, measured=measured, **keys)


def _restore(text: str, name: str, folder: str, changes: Sequence[tuple[str, str]], in_code: bool,
             plugins: bool = False) -> Model:
    if plugins:     # allowed to who pickled it, who could have pickled anything
        _core.allow_plugins(True)
    return Model(_core.ModelText(text, name, folder, list(changes), in_code))


def _command() -> str:
    return "python " + " ".join(sys.argv) if sys.argv and sys.argv[0] else "python"


def _outside() -> int:
    """How many frames above the caller the package ends."""
    here, level, frame = os.path.dirname(__file__), 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(here):
        frame, level = frame.f_back, level + 1
    return level


def load(file: File, set: Optional[Mapping[str, Any]] = None) -> Model:
    """Reads a model file; `set` changes it as `--set` does.

    >>> import freeplay as fp
    >>> m = fp.load("mechanisms/slider_crank.toml", set={"simulation.duration": "5 ms"})
    >>> m.simulation.duration
    '5 ms'
    """
    name = os.fspath(file)
    text = _core.ModelText(_core.read_text(name), name, os.path.dirname(name) or ".", [], False)
    return Model(text).set(set or {})


def loads(text: str, name: str = "model", folder: File = "", set: Optional[Mapping[str, Any]] = None) -> Model:
    """A model from the text of a file. `folder` says where the files are that it includes; without it, it includes none."""
    return Model(_core.ModelText(text, name, os.fspath(folder), [], False)).set(set or {})
