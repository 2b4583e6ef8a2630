"""Line charts as inline SVG. Colors come from the page's style sheet, so they follow light and dark."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reasonenv.report._curves import Point

_WIDTH, _HEIGHT = 480, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 50, 14, 10, 40
_MOST_LINES = 8
"""Lines of one chart: as many as the style sheet has colors."""


@dataclass(frozen=True)
class Chart:
    """A line chart.

    Args:
        name: Caption above it.
        lines: Points by the name of the line; the first eight are drawn.
        x: What runs along.
        y: What is measured.
        share: The values are shares, so the axis reaches from 0% to 100%.
        doubling: Values of x are powers of two or nearly so, at equal distances.
    """

    name: str
    lines: Mapping[str, Sequence[Point]]
    x: str
    y: str
    share: bool = False
    doubling: bool = False

    @property
    def legend(self) -> list[str]:
        """Names of the lines, in the order of their colors."""
        return list(self.lines)[:_MOST_LINES]

    @property
    def summary(self) -> str:
        """The chart in words: where each line begins and ends."""
        ends = [
            f"{name} from {self._y(line[0].y)} to {self._y(line[-1].y)}"
            for name, line in self._drawn().items()
        ]
        return f"{self.name}: {'; '.join(ends)}."

    def svg(self) -> str:
        """The chart as SVG text."""
        points = [point for line in self._drawn().values() for point in line]
        ends = [end for point in points for end in (point.interval or (point.y,))]
        across = [self._at(point.x) for point in points]
        low, high = (0.0, 1.0) if self.share else (min(0.0, *ends), max(ends))
        rows = _ticks(low, high)
        low, high = min(low, rows[0]), max(high, rows[-1])
        first, last = min(across), max(across)

        def place(x: float, y: float) -> str:
            right = _LEFT + (self._at(x) - first) / (last - first or 1) * (_WIDTH - _LEFT - _RIGHT)
            down = _TOP + (high - y) / (high - low or 1) * (_HEIGHT - _TOP - _BOTTOM)
            return f"{right:.1f},{down:.1f}"

        start, base = min(point.x for point in points), _HEIGHT - _BOTTOM
        parts = []
        for value in rows:
            down = place(start, value).partition(",")[2]
            parts.append(f'<path class="grid" d="M{_LEFT} {down}H{_WIDTH - _RIGHT}"/>')
            label = self._y(value)
            parts.append(f'<text x="{_LEFT - 6}" y="{float(down) + 4:.1f}" class="end">{label}</text>')
        for value in self._columns(points):
            right = place(value, low).partition(",")[0]
            parts.append(f'<text x="{right}" y="{base + 17}" class="mid">{value:,.6g}</text>')
        parts.append(f'<text x="{_LEFT}" y="{_HEIGHT - 6}" class="axis">{self.x} →</text>')
        for at, line in enumerate(self._drawn().values()):
            spread = [point for point in line if point.interval is not None]
            if spread:
                upper = [place(point.x, point.interval[1]) for point in spread if point.interval]
                lower = [place(point.x, point.interval[0]) for point in reversed(spread) if point.interval]
                parts.append(f'<path class="band c{at}" d="M{"L".join([*upper, *lower])}Z"/>')
            drawn = [place(point.x, point.y) for point in line]
            parts.append(f'<path class="line c{at}" d="M{"L".join(drawn)}"/>')
            if len(drawn) <= 24:
                dots = (one.split(",") for one in drawn)
                parts += [f'<circle class="dot c{at}" cx="{x}" cy="{y}" r="3"/>' for x, y in dots]
        return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" aria-hidden="true">{"".join(parts)}</svg>'

    def _drawn(self) -> dict[str, Sequence[Point]]:
        return {name: self.lines[name] for name in self.legend}

    def _at(self, x: float) -> float:
        return math.log2(x) if self.doubling else x

    def _columns(self, points: Sequence[Point]) -> list[float]:
        xs = sorted({point.x for point in points})
        if self.doubling or (len(xs) <= 8 and all(x == int(x) for x in xs)):
            return xs
        return [value for value in _ticks(xs[0], xs[-1]) if xs[0] <= value <= xs[-1]]

    def _y(self, value: float) -> str:
        return f"{100 * value:.0f}%" if self.share else f"{value:.3g}"


def _ticks(low: float, high: float) -> list[float]:
    """About five round numbers around a range."""
    width = (high - low) or 1.0
    scale = 10.0 ** math.floor(math.log10(width / 4))
    step = next(scale * times for times in (1, 2, 5, 10) if scale * times >= width / 5)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(at * step, 12) for at in range(first, max(last, first + 1) + 1)]
