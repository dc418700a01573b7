"""What a bandit's model believes, and what it is worth."""

from __future__ import annotations

import html
from typing import Any

from experior._support import from_bytes


class Inspection:
    """The result of `Model.inspect`: arrays with one entry (or row) per action, and a verdict in words."""

    def __init__(self, actions: tuple[Any, ...], found: dict[str, Any]) -> None:
        points = found["curve_points"]
        self.actions = actions
        self.share = from_bytes(found["share"])
        """Share of the demonstrations that chose the action."""
        self.probability = from_bytes(found["probability"])
        """Probability that the action is the best."""
        self.mean = from_bytes(found["mean"])
        """Expected mean reward."""
        self.sd = from_bytes(found["sd"])
        """Its standard deviation."""
        self.quantiles = from_bytes(found["quantiles"], 5)
        """5, 25, 50, 75 and 95 % of the mean reward."""
        self.curve = from_bytes(found["curve"], points)
        """Density of the mean reward at the middles of equal parts of `curve_range`."""
        self.curve_range = (float(found["curve_low"]), float(found["curve_high"]))
        self.answer = str(found["answer"])
        """Is the data worth anything? One or two sentences."""
        self.warnings = [str(sentence) for sentence in found["warnings"]]
        self.horizons: list[dict[str, float]] = found["horizons"]
        """Regret of the first decisions, with and without the experts."""
        arrays = ("share", "probability", "mean", "sd", "quantiles", "curve", "warnings", "horizons", "answer")
        self.numbers: dict[str, Any] = {name: value for name, value in found.items() if name not in arrays}
        """Everything else that was measured."""

    def to_frame(self) -> Any:
        """One row per action, as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(
            {"share": self.share, "probability": self.probability, "mean": self.mean, "sd": self.sd},
            index=pandas.Index(self.actions, name="action"),
        )

    def __repr__(self) -> str:
        return f"<Inspection: {self.answer}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(str(action))}</td><td>{share:.3f}</td><td>{chance:.3f}</td><td>{mean:.3f}</td></tr>"
            for action, share, chance, mean in zip(self.actions, self.share, self.probability, self.mean, strict=True)
        )
        head = "<tr><th>action</th><th>share of choices</th><th>probability of being best</th><th>mean reward</th></tr>"
        return f"<p>{html.escape(self.answer)}</p><table>{head}{rows}</table>"
