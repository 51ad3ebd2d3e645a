"""plot.py - draws the results of lab bench as SVG.

There are two plots for each pattern: the time of an exchange, and the bound (measure.py) divided by this time, both
over the length of a message.  A point is the median; the bar through it goes from the minimum to the maximum.  Points
of one length are drawn side by side, so that their bars do not cover each other.
"""

from html import escape
import math
import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from chart.svg import Axis          # noqa: E402
from common import write_size       # noqa: E402

WIDTH, HEIGHT = 400, 270        # of the area of one plot
LEFT, RIGHT, TOP, GAP = 72, 24, 104, 96
COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]
MARKS = ["circle", "square", "diamond"]
STYLE = """text { font: 13px 'DejaVu Sans', Helvetica, Arial, sans-serif; fill: #222 }
.title { font-size: 15px; font-weight: bold } .note { fill: #555; font-size: 12px }
.grid { stroke: #ddd; stroke-width: 1 } .frame { fill: none; stroke: #888 }
.line { fill: none; stroke-width: 2 } .bar { stroke-width: 2; stroke-opacity: 0.65 }"""


def text(x, y, what, anchor="middle", kind="", turn=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}"{turn}>{escape(what)}</text>'


def line(x1, y1, x2, y2, kind, more=""):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"{more}/>'


def mark(x, y, number):
    """Returns a point with the shape and colour of an algorithm."""
    color = COLORS[number % len(COLORS)]
    if MARKS[number % len(MARKS)] == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{color}"/>'
    turn = f' transform="rotate(45 {x:.1f} {y:.1f})"' if MARKS[number % len(MARKS)] == "diamond" else ""
    return f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" fill="{color}"{turn}/>'


def decades(low, high):
    """Returns ticks at 1, 2 and 5 times powers of ten around the values; powers of ten only if these are many."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    factors = (1, 2, 5) if last - first <= 3 else (1,)
    ticks = [factor * 10.0 ** power for power in range(first, last + 1) for factor in factors]
    least = max([tick for tick in ticks if tick <= low])
    most = min([tick for tick in ticks if tick >= high], default=ticks[-1])
    return [tick for tick in ticks if least <= tick <= most]


def size_axis(rows, x):
    sizes = sorted({row["size"] for row in rows})
    return sizes, Axis(sizes[0], sizes[-1], x + 30, x + WIDTH - 30)


def frame(x, y, title, sizes, across, ticks, up, label):
    """Returns the area of a plot, its grid and its labels."""
    marks = [text(x + WIDTH / 2, y - 12, title, kind="title")]
    for tick in ticks:
        marks += [line(x, up.at(tick), x + WIDTH, up.at(tick), "grid"),
                  text(x - 8, up.at(tick) + 4.5, f"{tick:g}", "end")]
    last = -math.inf
    for size in sizes:
        if across.at(size) - last >= 58:        # labels must not overlap
            marks.append(text(across.at(size), y + HEIGHT + 19, write_size(size)))
            last = across.at(size)
        marks.append(line(across.at(size), y + HEIGHT, across.at(size), y + HEIGHT + 5, "frame"))
    middle = y + HEIGHT / 2
    return marks + [f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" class="frame"/>',
                    text(x + WIDTH / 2, y + HEIGHT + 40, "mean message"),
                    text(x - 50, middle, label, turn=f' transform="rotate(-90 {x - 50} {middle})"')]


def curves(rows, across, up, figures):
    """Returns a line for each algorithm; figures(row): median, minimum and maximum."""
    marks = []
    names = list(dict.fromkeys(row["algorithm"] for row in rows))
    for number, name in enumerate(names):
        aside = (number - (len(names) - 1) / 2) * 6
        color = COLORS[number % len(COLORS)]
        points = []
        for row in sorted((row for row in rows if row["algorithm"] == name), key=lambda row: row["size"]):
            x = across.at(row["size"]) + aside
            median, least, most = map(up.at, figures(row))
            marks.append(line(x, least, x, most, "bar", f' stroke="{color}"'))
            points.append((x, median, number))
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
        marks.append(f'<polyline points="{path}" class="line" stroke="{color}"/>')
        marks += [mark(*point) for point in points]
    return marks


def time_plot(rows, x, y):
    sizes, across = size_axis(rows, x)
    ticks = decades(min([row["min_ms"] for row in rows] + [row["bound_ms"] for row in rows]),
                    max(row["max_ms"] for row in rows))
    up = Axis(ticks[0], ticks[-1], y + HEIGHT, y)
    bounds = sorted({row["size"]: row["bound_ms"] for row in rows}.items())
    path = " ".join(f"{across.at(size):.1f},{up.at(bound):.1f}" for size, bound in bounds)
    return frame(x, y, f"{rows[0]['pattern']}: completion time", sizes, across, ticks, up, "milliseconds") + \
        [f'<polyline points="{path}" class="line" stroke="#555" stroke-dasharray="5 4"/>'] + \
        curves(rows, across, up, lambda row: (row["median_ms"], row["min_ms"], row["max_ms"]))


def share_plot(rows, x, y):
    sizes, across = size_axis(rows, x)
    most = max(1.0, math.ceil(max(row["bound_ms"] / row["min_ms"] for row in rows) * 5) / 5)
    ticks = [tick / 5 for tick in range(round(most * 5) + 1)]
    up = Axis(0, most, y + HEIGHT, y)
    return frame(x, y, f"{rows[0]['pattern']}: share of the bound", sizes, across, ticks, up, "bound / time") + \
        [line(x, up.at(1), x + WIDTH, up.at(1), "line", ' stroke="#555" stroke-dasharray="5 4"')] + \
        curves(rows, across, up, lambda row: tuple(row["bound_ms"] / row[key]
                                                   for key in ("median_ms", "max_ms", "min_ms")))


def legend(names, x, y):
    marks = []
    for number, name in enumerate(names):
        marks += [line(x - 12, y - 4.5, x + 12, y - 4.5, "line", f' stroke="{COLORS[number % len(COLORS)]}"'),
                  mark(x, y - 4.5, number), text(x + 20, y, name, "start")]
        x += 56 + 8 * len(name)
    return marks + [line(x - 12, y - 4.5, x + 12, y - 4.5, "line", ' stroke="#555" stroke-dasharray="5 4"'),
                    text(x + 20, y, "bound", "start")]


def draw(rows, title_of):
    """Returns the whole picture; title_of(algorithm): its name in the legend."""
    patterns = list(dict.fromkeys(row["pattern"] for row in rows))
    names = list(dict.fromkeys(title_of(row["algorithm"]) for row in rows))
    step = HEIGHT + GAP
    width, height = 2 * (LEFT + WIDTH + RIGHT), TOP + step * len(patterns)
    first = rows[0]
    title = f"{first['ranks']} ranks on {os.path.basename(first['spec'])}, " \
            f"ports of {first['rate_bits'] / 1e6:g} Mbit/s, TCP {first['congestion']}"
    marks = [text(width / 2, 26, title, kind="title"), *legend(names, LEFT + 12, 54)]
    for number, pattern in enumerate(patterns):
        own = [row for row in rows if row["pattern"] == pattern]
        y = TOP + step * number
        marks += time_plot(own, LEFT, y) + share_plot(own, 2 * LEFT + WIDTH + RIGHT, y)
    marks.append(text(LEFT, height - 12, f"medians of {first['iterations']} exchanges, bars from minimum to maximum; "
                      "bound: the time of the busiest link for its bytes at 95.5% of its rate", "start", "note"))
    return picture(width, height, marks)


def picture(width, height, marks):
    marks = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
             f'viewBox="0 0 {width} {height}">', f"<style>{STYLE}</style>",
             '<rect width="100%" height="100%" fill="white"/>', *marks, "</svg>"]
    return "\n".join(marks) + "\n"
