# SPDX-License-Identifier: Apache-2.0
"""Results: series as NumPy views, events and impacts as tables, whether the run is in memory or in a file."""

from __future__ import annotations

import os
import tempfile
import weakref
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Optional, Sequence, TypeVar, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._errors import IoError, PathError, RunFailed

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas
    import xarray

Array = NDArray[Any]
File = Union[str, "os.PathLike[str]"]
Unpacked = TypeVar("Unpacked")

COMPONENTS = {2: "xy", 3: "xyz", 4: "wxyz"}


def component_names(width: int) -> list[str]:
    """Names of the components of a series: x y z, w x y z of a quaternion, numbers of a field."""
    return [] if width == 1 else list(COMPONENTS.get(width, "")) or [str(i + 1) for i in range(width)]


def refuse_to_overwrite(file: File) -> None:
    """A result replaces a result, and nothing else."""
    name = os.fspath(file)      # a number would be an open file of somebody else
    if not isinstance(name, str) or not name:
        raise TypeError(f"a file is named by a string or a path, not by {file!r}")
    try:
        with open(name, "rb") as there:
            head = there.read(8)
    except OSError:
        return
    if head and not head.startswith(b"\x89HDF"):
        raise IoError(f"cannot write {name}: the file there is not a result; name another")


class Channel:
    """What a series is: its path, unit, meaning, frame and number of components."""

    __slots__ = ("path", "unit", "long_name", "frame", "width")

    def __init__(self, path: str, unit: str, long_name: str, frame: str, width: int) -> None:
        self.path, self.unit, self.long_name, self.frame, self.width = path, unit, long_name, frame, width

    def __repr__(self) -> str:
        return f"{self.path} [{self.unit}]: {self.long_name}" + (f", {self.frame}" if self.frame else "")


class Uniform(Mapping[str, Array]):
    """The series on the uniform grid: `r.uniform["bodies/slider/position.x"]`, `r.uniform.time`."""

    def __init__(self, result: "Result") -> None:
        self._result = result

    @property
    def time(self) -> Array:
        return self["time"]

    def __getitem__(self, path: str) -> Array:
        return self._result._series(path, True)

    def __iter__(self) -> Iterator[str]:
        return (p for p in self._result if not p.startswith(("solver/", "state/")))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Result(Mapping[str, Array]):
    """A run: `r["joints/pin/eccentricity.x"]` at the accepted steps, whose times are `r.time`.

    Arrays are views of what the run recorded, not copies, and cannot be written to. Paths are those of `freeplay get`;
    `list(r)` gives them all.

    >>> import freeplay as fp
    >>> r = fp.load("mechanisms/pendulum.toml").run()
    >>> r.unit("bodies/rod/position")
    'm'
    >>> len(r.time) == len(r["bodies/rod/position.x"])
    True
    """

    def __init__(self, core: "_core.MemoryResult | _core.FileResult", path: Optional[str] = None) -> None:
        self._core = core
        self._path = path
        self._known: Optional[dict[str, Channel]] = None
        self._spare: Optional[str] = None    # a file made for those who read files
        self._tables: dict[str, Array] = {}
        #: The summary that `freeplay run --json` prints, by the same names.
        self.summary: dict[str, Any] = core.total()
        #: Share of the time of the run that laws in plain Python took, by name; empty without any.
        self.law_time: dict[str, float] = {}

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    # ---- series

    @property
    def _channels(self) -> dict[str, Channel]:
        """Described when they are first asked for: it takes as long as a short run."""
        if self._known is None:
            self._known = {c[0]: Channel(*c) for c in self._core.channels()}
        return self._known

    def __getitem__(self, path: str) -> Array:
        if not isinstance(path, str):
            raise TypeError(f"a series is named by its path, not by {path!r}")
        name = path[1:] if path.startswith("/") else path
        return self._series(name[8:], True) if name.startswith("uniform/") else self._series(name, False)

    def __iter__(self) -> Iterator[str]:
        yield "time"
        yield from self._channels

    def __len__(self) -> int:
        return 1 + len(self._channels)

    def __contains__(self, path: object) -> bool:
        try:
            self._find(path if isinstance(path, str) else "")
        except KeyError:
            return False
        return True

    def _find(self, path: str) -> tuple[str, Optional[int]]:
        """The stored series, and which component of it; None: all."""
        if path in self._channels or path == "time":
            return path, None
        whole, dot, last = path.rpartition(".")
        if dot and whole in self._channels:
            names = component_names(self._channels[whole].width)
            if last in names:
                return whole, names.index(last)
        known = list(self)
        for c in self._channels.values():
            known += [f"{c.path}.{n}" for n in component_names(c.width)] if not c.path.startswith("state/") else []
        inside = next((k for k in known if k.startswith(path + "/")), "") if path else ""
        guess = inside or _core.nearest(path, known)
        raise PathError(f"there is no series '{path}'" + (f"; did you mean '{guess}'?" if guess else ""))

    def _series(self, path: str, uniform: bool) -> Array:
        whole, component = self._find(path)
        if uniform and whole.startswith(("solver/", "state/")):
            raise PathError(f"'{whole}' has values at the steps only, not on the uniform grid")
        values: Array = self._core.values(whole, uniform)
        return values if component is None else values[:, component]

    @property
    def time(self) -> Array:
        """Times of the accepted steps; s."""
        return self._series("time", False)

    @property
    def uniform(self) -> Uniform:
        """The same series on an equidistant grid."""
        return Uniform(self)

    def channel(self, path: str) -> Channel:
        """What a series is."""
        whole, component = self._find(path)
        if whole == "time":
            return Channel("time", "s", "time", "", 1)
        c = self._channels[whole]
        return c if component is None else Channel(path, c.unit, c.long_name, c.frame, 1)

    def unit(self, path: str) -> str:
        """Unit of a series: "m", "N m", "1"."""
        return self.channel(path).unit

    def at(self, time: ArrayLike, path: str) -> Any:
        """Values at any time, as exact as the run itself: the motion is integrated on from the stored step before.

        >>> import freeplay as fp
        >>> r = fp.load("mechanisms/pendulum.toml").run()
        >>> r.at([0.1, 0.2], "bodies/rod/position").shape
        (2, 2)
        """
        whole, component = self._find(path)
        times = np.asarray(time, dtype=float)
        values = self._core.at(whole, times.ravel().tolist())
        if component is not None:
            values = values[:, component]
        values = values.reshape(times.shape + values.shape[1:])
        return float(values) if values.ndim == 0 else values

    @property
    def energy(self) -> dict[str, Array]:
        """The series of the energy audit, by their names."""
        return {c[len("energy/"):]: self[c] for c in self._channels if c.startswith("energy/")}

    def extremes(self, path: str) -> dict[str, Any]:
        """True minimum and maximum of a series, between the steps too, and when: min, max, at_min, at_max."""
        whole, component = self._find(path)
        rows = self._as_file().extremes(path)
        names = ("min", "max", "at_min", "at_max")
        if len(rows) == 1:
            return dict(zip(names, rows[0]))
        return {name: np.array([row[i] for row in rows]) for i, name in enumerate(names)}

    # ---- tables

    @property
    def events(self) -> Array:
        """Located events, one row each: time, joint, contact, kind, speed."""
        return self._table("events")

    @property
    def impacts(self) -> Array:
        """Contacts from touch to separation: start, end, joint, approach_speed, peak_force, energy_lost ..."""
        return self._table("impacts")

    def _table(self, which: str) -> Array:
        if which not in self._tables:
            columns = self._core.events() if which == "events" else self._core.impacts()
            names = columns.pop("names")
            for key, words in names.items():
                columns[key] = np.array(words or [""], dtype=np.str_)[columns[key]]
            table = np.empty(len(next(iter(columns.values()))), dtype=[(k, v.dtype) for k, v in columns.items()])
            for key, values in columns.items():
                table[key] = values
            table.flags.writeable = False
            self._tables[which] = table
        return self._tables[which]

    def to_dataframe(self, paths: Optional[Sequence[str]] = None, uniform: bool = True) -> "pandas.DataFrame":
        """Series as columns of a pandas table over time; vectors get a column per component."""
        import pandas
        columns = self._columns(paths, uniform)
        return pandas.DataFrame(columns, index=pandas.Index(self._series("time", uniform), name="time"))

    def _columns(self, paths: Optional[Sequence[str]], uniform: bool) -> dict[str, Array]:
        columns: dict[str, Array] = {}
        for path in paths if paths is not None else list(self.uniform)[1:]:
            values = self._series(path, uniform)
            if values.ndim == 1:
                columns[path] = values
            else:
                for k, name in enumerate(component_names(values.shape[1])):
                    columns[f"{path}.{name}"] = values[:, k]
        return columns

    def to_xarray(self, paths: Optional[Sequence[str]] = None, uniform: bool = True) -> "xarray.Dataset":
        """Series as an xarray Dataset with units; vectors have a dimension `component`."""
        import xarray
        data: dict[str, Any] = {}
        for path in paths if paths is not None else list(self.uniform)[1:]:
            values, c = self._series(path, uniform), self.channel(path)
            dims = ["time"] if values.ndim == 1 else ["time", f"component_{values.shape[1]}"]
            data[path] = (dims, values, {"unit": c.unit, "long_name": c.long_name, "frame": c.frame})
        time = ("time", self._series("time", uniform), {"unit": "s"})
        return xarray.Dataset(data, coords={"time": time}, attrs={"name": self.name})

    # ---- how it ended

    @property
    def status(self) -> str:
        """"done", "failed", "audit_broken" or "interrupted"."""
        return str(self.summary["status"])

    @property
    def ok(self) -> bool:
        """Did the run get there?"""
        return self.status == "done"

    @property
    def trouble(self) -> str:
        """Why it did not, and what to try; empty when it did."""
        s = self.summary
        if self.ok:
            return ""
        said = s["reason"] + ("; " + s["remedy"] if s["remedy"] else "")
        return f"{said}; the motion up to t = {s['time']:.9g} s was kept"

    def require(self) -> "Result":
        """The result itself, or `RunFailed`."""
        if not self.ok:
            raise RunFailed(self)
        return self

    @property
    def name(self) -> str:
        return self._core.name()

    @property
    def model_text(self) -> str:
        """The resolved model that was run."""
        return self._core.model_text()

    @property
    def model_source(self) -> str:
        """The model as it was written."""
        return self._core.model_source()

    def __repr__(self) -> str:
        s = self.summary
        spent = "".join(f", {share:.0%} of the time in law '{law}'" for law, share in self.law_time.items())
        return (f"<Result {self.name or 'mechanism'}: {s['status']} at t = {s['time']:.6g} s, {s['steps']} steps, "
                f"{s['contacts']} contacts{spent}{', ' + self._path if self._path else ''}>")

    # ---- files

    @property
    def path(self) -> Optional[str]:
        """The result file; None in memory."""
        return self._path

    def save(self, file: File) -> str:
        """Writes the result file that `freeplay run` would have written and returns its name: NAME.partial.h5 for a
        run that did not get there."""
        refuse_to_overwrite(file)
        if isinstance(self._core, _core.MemoryResult):
            from ._model import _command
            return os.fspath(self._core.save(os.fspath(file), _command()))
        import shutil
        assert self._path is not None
        if os.path.exists(file) and os.path.samefile(self._path, file):
            return os.fspath(file)
        return os.fspath(shutil.copyfile(self._path, file))

    def _as_file(self) -> _core.FileResult:
        return self._core if isinstance(self._core, _core.FileResult) else _core.FileResult(self._file_name())

    def _file_name(self) -> str:
        """A file that holds the result: its own, or one beside for as long as this object lives."""
        if self._path is not None:
            return self._path
        if self._spare is None or not os.path.exists(self._spare):
            folder = tempfile.TemporaryDirectory(prefix="freeplay-")
            weakref.finalize(self, folder.cleanup)
            self._spare = self.save(os.path.join(folder.name, "result.h5"))
        return self._spare

    def __reduce__(self) -> tuple[Any, ...]:
        if self._path is not None and not self._path.startswith(tempfile.gettempdir() + "/freeplay-"):
            return open_result, (os.path.abspath(self._path),)
        with open(self._file_name(), "rb") as file:
            return unpacked, (file.read(), "result.h5", open_result)

    # ---- pictures

    def report(self, file: Optional[File] = None, *others: "Result") -> str:
        """The animated page of `freeplay report` as HTML text, written to `file` if one is named. Others are compared."""
        page = _core.report([r._file_name() for r in (self, *others)])
        if file is not None:
            with open(os.fspath(file), "w", encoding="utf-8") as out:
                out.write(page)
        return page

    def _repr_html_(self) -> str:
        from html import escape
        return (f'<iframe srcdoc="{escape(self.report())}" style="width:100%;height:640px;border:0" '
                f'title="{escape(self.name)}"></iframe>')

    def figure(self, file: File, *paths: str, against: Optional[str] = None, compare: Sequence["Result"] = (),
               width: float = 160, height: float = 0, dpi: float = 200) -> str:
        """A figure for a paper, SVG, PDF or PNG by its name, as `freeplay plot` draws it; sizes in mm. Needs no matplotlib."""
        name = os.fspath(file)
        picture = _core.figure([r._file_name() for r in (self, *compare)], list(paths), against or "",
                               name, width, height, dpi)
        with open(name, "wb") as out:
            out.write(picture)
        return name

    def plot(self, *paths: str, against: Optional[str] = None, ax: Any = None, uniform: bool = False,
             **style: Any) -> Any:
        """Draws series over time, or against another, with matplotlib; returns the axes, one below the other."""
        import matplotlib.pyplot as plt
        if not paths:
            raise ValueError("which series? list(r) gives them all")
        axes = [ax] if ax is not None else list(
            plt.subplots(len(paths), sharex=True, squeeze=False, constrained_layout=True)[1][:, 0])
        x = self._series(against or "time", uniform)
        if x.ndim > 1:
            raise ValueError(f"'{against}' is a vector; name one component, such as '{against}.x'")
        for i, path in enumerate(paths):
            where, c = axes[min(i, len(axes) - 1)], self.channel(path)
            values = self._series(path, uniform)
            labels = [f"{path}.{n}" for n in component_names(c.width)] or [path]
            where.plot(x, values, **{"label": labels if len(labels) > 1 else labels[0], **style})
            where.set_ylabel(f"{path} [{c.unit}]")
            if len(labels) > 1 or ax is not None:
                where.legend()
        axes[-1].set_xlabel(f"{against or 'time'} [{self.unit(against or 'time')}]")
        return axes[0] if len(axes) == 1 else axes


def unpacked(data: bytes, name: str, opened: Callable[[str], Unpacked]) -> Unpacked:
    """What was pickled as the bytes of a file: in one that lives as long as what it is opened as."""
    folder = tempfile.TemporaryDirectory(prefix="freeplay-")
    path = os.path.join(folder.name, name)
    with open(path, "wb") as file:
        file.write(data)
    made = opened(path)
    weakref.finalize(made, folder.cleanup)
    return made


def open_result(file: File) -> Result:
    """Opens a result file. What it offers is the same as for a run in memory; series are read when asked for.

    >>> import freeplay as fp, tempfile, os
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kept = fp.load("mechanisms/pendulum.toml").run(os.path.join(folder, "pendulum.h5"))
    ...     r = fp.open(kept.path)
    ...     r.status
    'done'
    """
    name = os.fspath(file)
    if isinstance(name, bytes):
        raise TypeError("name the file by a string")
    return Result(_core.FileResult(name), name)
