"""Experts as priors: acting well from what experts did.

>>> import experior
>>> model = experior.Model.fit(["drug A", "drug B", "drug A", "none"])
>>> session = experior.Session(model, seed=1)
>>> action = session.act()
>>> session.observe(action, 1)
"""

from experior._core import Error, FileError, InputError, NumericError, ProgramError, __version__
from experior.demonstrations import Demonstrations
from experior.inspection import Inspection
from experior.model import Model
from experior.session import Session

__all__ = [
    "Demonstrations",
    "Error",
    "FileError",
    "InputError",
    "Inspection",
    "Model",
    "NumericError",
    "ProgramError",
    "Session",
    "__version__",
]
