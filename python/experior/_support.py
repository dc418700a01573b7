"""What the modules of the package share: progress bars, seeds, arrays, labels."""

from __future__ import annotations

import contextlib
import operator
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experior._core import InputError

Progress = bool | Callable[[int, int], object] | None
Doubles = NDArray[np.float64]


@contextlib.contextmanager
def progress_bar(progress: Progress, what: str) -> Iterator[Callable[[int, int], object] | None]:
    """The callable that a long call tells of its progress.

    ``None`` shows a tqdm bar if tqdm is installed, the call takes more than a second and standard error is a
    terminal; ``True`` insists on the bar, ``False`` shows nothing, a callable is called with (done, total).
    """
    if callable(progress):
        yield progress
        return
    bar: Any = None
    if progress is not False:
        try:
            with warnings.catch_warnings():  # of widgets that a notebook lacks
                warnings.simplefilter("ignore")
                from tqdm.auto import tqdm
            bar = tqdm(desc=what, delay=0 if progress else 1, disable=None if progress is None else False, leave=False)
        except ImportError:
            if progress:
                raise InputError("progress=True needs the package tqdm") from None
    if bar is None:
        yield None
        return

    def tell(done: int, total: int) -> None:
        bar.total = total or None
        bar.update(done - bar.n)

    with bar:
        yield tell


def seed_of(seed: Any) -> int:
    """A seed as the library takes it: a whole number from 0 to 2**64 - 1."""
    try:
        number = operator.index(seed)
    except TypeError:
        raise InputError(f"the seed {seed!r} is not a whole number") from None
    if not 0 <= number < 2**64:
        raise InputError(f"the seed {number} is not from 0 to 2**64 - 1")
    return number


def episode_limit(env: Any) -> int | None:
    """Steps after which an episode is cut off, as the environment or a TimeLimit around it says."""
    limit = getattr(getattr(env, "spec", None), "max_episode_steps", None)
    inner: Any = env
    while not limit and inner is not None:
        limit = getattr(inner, "_max_episode_steps", None)
        inner = getattr(inner, "env", None)
    return limit or getattr(getattr(env, "unwrapped", env), "horizon", None)


def count_of(number: Any, what: str, least: int = 1) -> int:
    """A count that is at least `least`."""
    try:
        whole = int(number) if isinstance(number, float) and number.is_integer() else operator.index(number)  # 1e5
    except TypeError:
        raise InputError(f"{what} = {number!r} is not a whole number") from None
    if not least <= whole < 2**62:
        raise InputError(f"{what} = {whole} is less than {least}, or too large")
    return whole


def doubles(data: Any, what: str, check: bool = True) -> Doubles:
    """A contiguous array of float64, without a copy if it is one; NaN is refused, here or by who asks not to check."""
    try:
        array = np.ascontiguousarray(data, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{what} are not numbers") from None
    if check and np.isnan(array).any():
        raise InputError(f"{what} hold NaN")
    return array


def whole_numbers(data: Any, what: str) -> NDArray[np.int64]:
    """A contiguous array of int64, without a copy if it is one; numbers that are not whole are refused."""
    try:
        array = np.asarray(data)
        if array.dtype.kind in "iub":
            return np.ascontiguousarray(array, dtype=np.int64)
        real = np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what} are not whole numbers") from None
    if not np.all(np.isfinite(real) & (real == np.floor(real)) & (np.abs(real) < 2**53)):
        raise InputError(f"{what} are not whole numbers")
    return np.ascontiguousarray(real, dtype=np.int64)


def from_bytes(data: bytes | None, columns: int = 0) -> Doubles:
    """Numbers that the extension module handed over, as a matrix if it has columns."""
    array = np.frombuffer(data or b"", dtype=np.float64)
    return array.reshape(-1, columns) if columns else array


_WHOLE = re.compile(r"-?(0|[1-9][0-9]*)")


def labels_of(names: tuple[str, ...] | None) -> tuple[Any, ...] | None:
    """What actions are called in Python: whole numbers if all names are written so."""
    if names is None or not all(_WHOLE.fullmatch(name) for name in names):
        return names
    return tuple(int(name) for name in names)


def space_of(given: Any) -> tuple[int, tuple[str, ...] | None, tuple[int, ...], int] | None:
    """A space as the extension module takes it."""
    if given is None or (isinstance(given, tuple) and len(given) == 4 and isinstance(given[2], tuple)):
        return given
    if isinstance(given, list | tuple) and all(isinstance(name, str) for name in given):
        return (len(given), tuple(given), (), 1)
    return (count_of(given, "space", 2), None, (), 1)
