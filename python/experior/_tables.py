"""Choices from whatever Python people keep them in, as the library's tables of choices.

A table (a path or a DataFrame) is read exactly as the command line reads it, with its checks. Lists, arrays and Series
are counted as they are.
"""

from __future__ import annotations

import csv
import io
import os
import re
from typing import Any

import numpy as np

from experior import _core
from experior._core import InputError
from experior._support import Progress, progress_bar

Table = _core.Choices | _core.Demos


def is_frame(data: Any) -> bool:
    """A DataFrame of pandas or polars, without importing either."""
    return hasattr(data, "columns") and hasattr(data, "__getitem__") and not isinstance(data, np.ndarray)


def is_path(data: Any) -> bool:
    return isinstance(data, str | bytes | os.PathLike)


def _frame_text(frame: Any, columns: list[str]) -> bytes:
    missing = [column for column in columns if column not in list(frame.columns)]
    if missing:
        raise InputError(
            f"the table has no column {missing[0]!r}, only {[str(name) for name in frame.columns]}; "
            "action= names the column of choices, by= that of segments"
        )
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*([_cell(value) for value in frame[column]] for column in columns), strict=True))
    return text.getvalue().encode()


def _is_missing(value: Any) -> bool:
    """None, NaN, NaT, and pandas.NA, which cannot be compared."""
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def _cell(value: Any) -> str:
    return "" if _is_missing(value) else str(value)


def read_table(
    source: Any,
    *,
    action: str | None,
    by: str | None,
    expert: str | None,
    weight: str | None,
    count: str | None,
    arms: int,
    exact: bool,
    progress: Progress,
) -> Table:
    """A path or a DataFrame."""
    frame = is_frame(source)
    if frame:
        action = action or "action"
        source = _frame_text(source, [column for column in (action, by, expert, weight, count) if column is not None])
        weight, count = weight or "none", count or "none"
    with progress_bar(progress, "read") as tell:
        try:
            return _core.choices_read(source, frame, action, by, expert, weight, count, arms, False, exact, tell)
        except InputError as error:  # which speaks of the command line's options
            raise InputError(re.sub(r"--(action|by|expert|weight|count|arms)\b", r"\1=", str(error))) from None


def _listed(values: Any, what: str) -> Any:
    """An array or a list, of what may also be any other iterable."""
    if isinstance(values, dict | set | frozenset):
        raise InputError(f"{what} are a {type(values).__name__}: give one entry per choice, in a list, an array or a Series")
    if hasattr(values, "index") and getattr(values, "name", None) == "count":
        raise InputError(
            f"{what} look like value_counts(): give the values themselves, or reset_index() and name both columns by "
            "action= and count="
        )
    if hasattr(values, "dtype") or hasattr(values, "__array__"):
        return values
    if not hasattr(values, "__iter__") or isinstance(values, str | bytes):
        raise InputError(f"{what} are {values!r}: give one entry per choice, in a list, an array or a Series")
    values = list(values)
    if any(_is_missing(value) for value in values if not hasattr(value, "__len__")):
        raise InputError(f"{what} hold missing values; drop such rows first")
    return values


def _categories(values: Any, what: str) -> tuple[list[Any], np.ndarray[Any, np.dtype[np.int64]]] | None:
    """Of pandas' categorical choices: their categories are the arms, also those that nobody chose."""
    held = getattr(values, "cat", values)
    if what != "choices" or not hasattr(held, "categories") or not hasattr(held, "codes"):
        return None
    names = [str(name) for name in held.categories]
    codes = np.asarray(held.codes, dtype=np.int64)
    if codes.size == 0 or all(isinstance(name, int | np.integer) for name in held.categories):
        return None
    if codes.min() < 0:
        raise InputError(f"{what} hold missing values; drop such rows first")
    return names, codes


def _labels(values: Any, what: str) -> tuple[list[Any], np.ndarray[Any, np.dtype[np.int64]]]:
    """Distinct labels in the order of the command line (numbers by size, names by appearance) and codes."""
    values = _listed(values, what)
    known = _categories(values, what)
    if known is not None:
        return known
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(f"{what} differ in length") from None
    if array.ndim != 1:
        raise InputError(f"{what} have {array.ndim} dimensions, not 1")
    if array.size == 0:
        raise InputError(f"there are no {what}")
    if array.dtype.kind not in "fiubOUSTMm":
        raise InputError(f"{what} are of the type {array.dtype}, which has no labels")
    if array.dtype.kind == "f":
        if not np.all(np.isfinite(array)):
            raise InputError(f"{what} hold NaN or infinities; drop such rows first")
        if not np.all(array == np.floor(array)):
            raise InputError(f"{what} are real numbers; an arm is a name or a whole number")
        array = array.astype(np.int64)
    if array.dtype.kind in "iub":
        found, codes = np.unique(array.astype(np.int64), return_inverse=True)
        return [int(label) for label in found], np.asarray(codes, dtype=np.int64)
    if (array.dtype.kind == "O" and any(_is_missing(value) for value in array)) or (
        array.dtype.kind in "mM" and bool(np.any(np.isnat(array)))
    ):
        raise InputError(f"{what} hold missing values; drop such rows first")
    numbers: dict[Any, int] = {}
    try:
        codes = np.array([numbers.setdefault(str(value), len(numbers)) for value in array], dtype=np.int64)
    except TypeError:
        raise InputError(f"{what} cannot be used as labels") from None
    return list(numbers), codes


def count_choices(values: Any, by: Any, arms: int) -> _core.Choices:
    """Lists, arrays and Series of choices, with those of their segments if there are any."""
    labels, codes = _labels(values, "choices")
    names: tuple[str, ...] | None = tuple(str(label) for label in labels)
    whole = all(isinstance(label, int) for label in labels)
    if whole and arms:
        if not (0 <= labels[0] and labels[-1] < arms):
            raise InputError(f"choices are from {labels[0]} to {labels[-1]}, not from 0 to {arms - 1}")
        codes, names, width = np.asarray(labels, dtype=np.int64)[codes], None, arms
    elif whole and labels == list(range(len(labels))):
        names, width = None, len(labels)
    else:
        width = len(labels)
        if arms and arms != width:
            raise InputError(f"there are {width} names of arms, not {arms}")
    segments: tuple[str, ...] | None = None
    rows = np.zeros_like(codes)
    if isinstance(by, str):
        raise InputError(f"by={by!r} names a column, but the choices are no table: give a segment per choice")
    if by is not None:
        found, rows = _labels(by, "segments")
        segments = tuple(str(label) for label in found)
        if len(rows) != len(codes):
            raise InputError(f"{len(codes)} choices with {len(rows)} segments")
    counts = np.zeros((len(segments) if segments else 1, width), dtype=np.int64)
    np.add.at(counts, (rows, codes), 1)
    return _core.choices_create(segments, width, names, counts)
