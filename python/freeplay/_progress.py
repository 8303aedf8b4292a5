# SPDX-License-Identifier: Apache-2.0
"""How far a long run is: a line in a terminal, a bar in a notebook, nothing in a script's log."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, Optional, Union

Show = Callable[[float, float], None]
Wanted = Union[bool, Show, None]

FIRST_AFTER = 1.0   # s; what is quicker needs no bar
BETWEEN = 0.1       # s


def _notebook() -> Optional[Any]:
    shell = sys.modules.get("IPython")
    session = shell.get_ipython() if shell else None
    return session if session is not None and hasattr(session, "kernel") else None


class Bar:
    """Called with the share that is done and what to say of it."""

    def __init__(self, wanted: Wanted, words: Callable[[float], str]) -> None:
        self._words = words
        self._call = wanted if callable(wanted) else None
        self._in_notebook = self._call is None and wanted is not False and _notebook() is not None
        on_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._on_terminal = (self._call is None and not self._in_notebook
                             and (wanted is True or (wanted is None and on_terminal)))
        self._begin = time.monotonic()
        self._last = self._begin - BETWEEN
        self._display: Any = None
        self._drawn = False

    @property
    def show(self) -> Optional[Show]:
        """What the engine calls, if anything."""
        return self._tell if self._call or self._in_notebook or self._on_terminal else None

    def _tell(self, fraction: float, where: float) -> None:
        if self._call:
            self._call(fraction, where)
            return
        now = time.monotonic()
        if now - self._begin < FIRST_AFTER or now - self._last < BETWEEN:
            return
        self._last, self._drawn = now, True
        left = (now - self._begin) * (1 / fraction - 1) if fraction > 0 else 0
        text = f"{100 * fraction:3.0f} %  {self._words(where)}  {left:.0f} s left"
        if self._on_terminal:
            full = int(30 * min(max(fraction, 0), 1))
            sys.stderr.write(f"\r[{'#' * full}{'.' * (30 - full)}] {text} ")
            sys.stderr.flush()
            return
        from IPython.display import HTML, display
        page = HTML(f"<progress max='1' value='{fraction:.4f}'></progress> {text}")
        if self._display is None:
            self._display = display(page, display_id=True)
        else:
            self._display.update(page)

    def close(self) -> None:
        """Leaves no trace."""
        if not self._drawn:
            return
        if self._on_terminal:
            sys.stderr.write("\r" + " " * 100 + "\r")
            sys.stderr.flush()
        elif self._display is not None:
            from IPython.display import HTML
            self._display.update(HTML(""))
