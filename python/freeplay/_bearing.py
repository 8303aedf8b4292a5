# SPDX-License-Identifier: Apache-2.0
"""The chart of a journal bearing, as `freeplay bearing` computes it."""

from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._result import Array

Quantity = Union[float, str]
RATIOS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


def bearing(*, clearance: Quantity, length: Quantity, speed: Quantity, viscosity: Quantity,
            diameter: Optional[Quantity] = None, radius: Optional[Quantity] = None, law: str = "short-bearing",
            load: Optional[Quantity] = None, ratio: Optional[ArrayLike] = None, inlet: bool = False,
            **parameters: Any) -> dict[str, Any]:
    """Where a journal runs under a steady load, what it costs, how the film answers small motions.

    With `load`, one point; otherwise arrays over the eccentricity ratios. SI units: ratio, attitude (rad), load, sommerfeld,
    friction (f R/c), torque, power, min_film, side_flow, max_pressure, stiffness and damping [2, 2] along and ahead of the
    load, critical_mass, and for laws that are solved numerically the grid and its errors.

    >>> import freeplay as fp
    >>> chart = fp.bearing(diameter="30 mm", clearance="30 um", length="15 mm", speed="3000 rpm", viscosity="20 mPa s")
    >>> chart["attitude"].shape, chart["stiffness"].shape
    ((10,), (10, 2, 2))
    """
    if (diameter is None) == (radius is None):
        raise ValueError("give the journal by 'diameter' or by 'radius'")
    if load is not None and ratio is not None:
        raise ValueError("give 'load' or 'ratio', not both")
    half = _core.quantity(radius, "m") if diameter is None else _core.quantity(diameter, "m") / 2
    site = {"radius": half, "clearance": clearance, "length": length}
    ratios = np.atleast_1d(np.asarray(RATIOS if ratio is None else ratio, dtype=float)).ravel().tolist()
    points = _core.bearing_chart(law, {"viscosity": viscosity, **parameters}, site, speed, ratios, load, inlet)
    if load is not None:
        if points[0] is None:
            raise ValueError(f"no eccentricity ratio between 0.0001 and 0.999 carries {load}; change the geometry, the speed "
                             "or the viscosity")
        return dict(points[0])
    found = [p for p in points if p is not None]
    if not found:
        raise ValueError("at these ratios no attitude carries a load")
    return {key: np.array([p[key] for p in found]) for key in found[0]}
