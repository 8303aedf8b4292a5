# SPDX-License-Identifier: Apache-2.0
"""Freeplay: mechanisms as they are really built, with play, friction, oil and rubber in their joints.

>>> import freeplay as fp
>>> m = fp.load("examples/07_clearance/slider_crank.toml")
>>> m.joints.pin.clearance.radial = "0.2 mm"
>>> r = m.run()
>>> bool(r["joints/pin/normal_force"].max() > 1000)
True
"""

from . import laws
from ._bearing import bearing
from ._builder import Joint, Mechanism
from ._core import quantity
from ._core import version as _version
from ._errors import (AssemblyError, Interrupted, IoError, Issue, ModelError, ModelWarning, PathError, RunFailed, RunWarning,
                      SimulationError)
from ._gallery import Figure, Gallery, figures, reproduce
from ._model import Model, Table, load, loads
from ._own import OwnLaw, allow_plugins
from ._result import Channel, Result, Uniform
from ._result import open_result as open
from ._simulator import Simulator
from ._study import Row, Study, study
from ._study import Table as StudyTable

__version__ = _version()
__all__ = [
    "AssemblyError", "Channel", "Figure", "Gallery", "Interrupted", "IoError", "Issue", "Joint", "Mechanism", "Model",
    "ModelError", "ModelWarning", "OwnLaw", "PathError", "Result", "Row", "RunFailed", "RunWarning", "SimulationError", "Simulator",
    "Study", "StudyTable", "Table", "Uniform", "allow_plugins", "bearing", "figures", "laws", "load", "loads", "open", "quantity",
    "reproduce", "study",
]
