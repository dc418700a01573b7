"""Experts as priors: acting well from what experts did.

>>> import experior
>>> model = experior.Model.fit(["drug A", "drug B", "drug A", "none"])
>>> session = experior.Session(model, seed=1)
>>> action = session.act()
>>> session.observe(action, 1)

`Model` and `Session` are for bandits and for tasks with states, `ExperiorAgent` for Gymnasium's environments,
`demonstrate` and `Family` for experts of your own, `study` and `simulate` for experiments, `experior.plot` for
pictures.
"""

from experior._core import Error, FileError, InputError, NumericError, ProgramError, __version__
from experior.agent import ExperiorAgent
from experior.demonstrations import Demonstrations
from experior.families import Family, demonstrate
from experior.inspection import Inspection
from experior.model import Model
from experior.session import Session
from experior.studies import SimulateResult, StudyResult, catalogue, simulate, study

__all__ = [
    "Demonstrations",
    "Error",
    "ExperiorAgent",
    "Family",
    "FileError",
    "InputError",
    "Inspection",
    "Model",
    "NumericError",
    "ProgramError",
    "Session",
    "SimulateResult",
    "StudyResult",
    "__version__",
    "catalogue",
    "demonstrate",
    "simulate",
    "study",
]
