"""bench.py - draws the JSON file of irr_bench.

A file with several units becomes two plots with logarithmic axes. The upper plot has the median, minimum and maximum
time of each row over the unit. The lower plot has host/this: the median time of host divided by the median time of the
row. A file with one unit, or with a matrix, becomes a bar with its values for each row. A row has the colour of its
algorithm; persistent rows are dashed.
"""
import math

from .svg import MARGIN, TITLE, Axis, label, picture, plain, plural, tick_of, ticks

WIDTH_ALL = 900             # minimum width of the picture in pixels
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]    # safe for colour-blind readers
MARKS = ["m-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z", "m-3.5,-3.5h7v7h-7z", "m0,-5l4.5,8h-9z", "m0,-5l5,5l-5,5l-5,-5z"]
STYLES = """.end { text-anchor: end; }
.middle { text-anchor: middle; }
.grid { stroke: #e2e2e2; fill: none; }
.one { stroke: #222; stroke-dasharray: 6 4; fill: none; }
.curve { fill: none; stroke-width: 2; }
.spread { fill: none; stroke-width: 1.2; }
.range { fill: none; stroke: #000; }
.start .curve, .start .bar { stroke-dasharray: 5 3; }
.bar { fill-opacity: 0.6; }
.start .bar { fill-opacity: 0.15; stroke-width: 1.5; }
.hollow { fill: #fff; stroke-width: 1.5; }
.host { fill: #222; stroke: #222; }
""" + "".join(f".a{i} {{ fill: {colour}; stroke: {colour}; }}\n" for i, colour in enumerate(COLOURS)) + \
    "g text { fill: #222; stroke: none; }\n"


# ---- measurements ----


class Row:
    """The row of an algorithm in all units: its name, its style, and a point for each unit."""

    def __init__(self, points, number):
        self.points = points
        self.number = number                    # of its algorithm, from 0 without host; -1: host
        self.persistent = points[0]["persistent"]
        self.reference = number < 0 and not self.persistent     # the first such row is the host of host/this
        self.kind = ("host" if number < 0 else f"a{number % len(COLOURS)}") + (" start" if self.persistent else "")
        titles = {self.title(point) for point in points}
        self.name = titles.pop() if len(titles) == 1 else self.title({**points[0], "served_by": None})

    @staticmethod
    def misled(point):
        """True if another implementation than that of its algorithm served the row."""
        return point["served_by"] != ("host" if point["algorithm"] in ("host", "p2p") else "irr")

    def title(self, point):
        served = f"({point['served_by']})" if point["served_by"] and self.misled(point) else ""
        return point["algorithm"] + ("-start" if self.persistent else "") + served

    def mark(self, point, x, y):
        mark = MARKS[(self.number + 1 + (self.number + 1) // (2 * len(COLOURS))) % len(MARKS)]
        return f'<path class="mark{" hollow" if point and self.misled(point) else ""}" d="M{x:.1f},{y:.1f}{mark}"/>'


def rows_of(run):
    """Returns the rows of a run. A persistent row has the colour of the other row of its algorithm."""
    names = [row["algorithm"] for row in run["results"][0]["rows"] if not row["persistent"]]
    numbers = [-1 if name == "host" else len([other for other in names[:i] if other != "host"])
               for i, name in enumerate(names)]
    return [Row(points, numbers[i % len(numbers)])
            for i, points in enumerate(zip(*(result["rows"] for result in run["results"])))]


# ---- texts ----


def size_text(size):
    """Returns a unit as text: 8, 1k, 64k."""
    for suffix in ("", "k", "m"):
        if size == 0 or size % 1024 != 0:
            return f"{size}{suffix}"
        size //= 1024
    return f"{size}g"


def head_of(run, caption):
    """Returns the three lines above a chart."""
    first, ranks, results, source = run["first_group"], run["ranks"], run["results"], run["input"]
    title = f"{run['call']}, {plural(ranks, 'rank')}"
    title += f", groups of {first} and {ranks - first} ranks" if first else ", in place" if run["in_place"] else ""
    if "matrix" in source:
        text = f"{run['mpi']}, matrix {source['matrix']}"
    else:
        unit = f", unit {results[0]['unit']} bytes" if len(results) == 1 else ""
        text = f"{run['mpi']}, pattern {source['pattern']}{unit}, seed {source['seed']}"
    text += f", datatype {run['datatype']}" if run["datatype"] else ""
    text += f", scale {source['scale']:g}" if source["scale"] != 1 else ""
    text += f"; {run['iterations']} iterations after {run['warmup']} to warm up; time of the slowest rank"
    return title, text, caption


# ---- a sweep: lines ----

LEFT, WIDTH, TOP = MARGIN + 52, 600, TITLE + 30
TIME_HEIGHT, RATIO_HEIGHT, GAP, BOTTOM = 320, 190, 44, 44


class Panel:
    """A plot of times or ratios over the unit. The rows are drawn side by side, so their spreads do not overlap."""

    def __init__(self, ratio, rows, units, ends, top, height):
        self.ratio, self.key, self.ends = ratio, "host_ratio" if ratio else "median_us", ends
        self.rows, self.units, self.top, self.bottom = rows, units, top, top + height
        keys = ("host_ratio",) if ratio else ("median_us", *ends)
        values = [point[key] for row in rows for point in row.points for key in keys if (point[key] or 0) > 0]
        values = (values + [0.5, 2]) if ratio else (values or [1])
        self.up = Axis(0.85 * min(values), 1.18 * max(values), self.bottom, top)
        self.along = Axis(units[0], units[-1], LEFT + 20, LEFT + WIDTH - 20)
        self.apart = min(3, 0.5 * (WIDTH - 40) / (len(units) * len(rows)))

    def x(self, unit, i):
        return self.along.at(unit) + (i - (len(self.rows) - 1) / 2) * self.apart

    def frame(self, numbers):
        """Returns heading, grid and numbers."""
        marks = [label("stage", LEFT, self.top - 10,
                       "host/this: above 1, the row is faster than host" if self.ratio else "median time in us")]
        for unit in self.units[::math.ceil(len(self.units) * 40 / WIDTH)]:
            x = self.along.at(unit)
            marks.append(f'<path class="grid" d="M{x:.1f} {self.bottom}V{self.top}"/>')
            if numbers:
                marks.append(label("middle unit", x, self.bottom + 17, size_text(unit)))
        if numbers:
            marks.append(label("middle", LEFT + WIDTH / 2, self.bottom + 36, "unit, bytes"))
        for value in ticks(self.up.least, self.up.most, self.up.most / self.up.least < 2000):
            marks += [f'<path class="grid" d="M{LEFT} {self.up.at(value):.1f}h{WIDTH}"/>',
                      label("end", LEFT - 6, self.up.at(value) + 4, f"{value:g}")]
        if self.ratio:
            marks.append(f'<path class="one" d="M{LEFT} {self.up.at(1):.1f}h{WIDTH}"/>')
        return marks

    def row(self, i):
        """Returns the line of a row, its spreads, and its marks with their tooltips."""
        row, at = self.rows[i], self.up.at
        shown = [(unit, self.x(unit, i), point) for unit, point in zip(self.units, row.points)
                 if (point[self.key] or 0) > 0]
        places = " ".join(f"{x:.1f},{at(point[self.key]):.1f}" for _, x, point in shown)
        marks = [f'<g class="{row.kind}">', f'<polyline class="curve" points="{places}"/>']
        low, high = self.ends
        marks += [f'<path class="spread" d="M{x:.1f} {at(point[low]):.1f}V{at(point[high]):.1f}"/>'
                  for _, x, point in shown if not self.ratio and (point[low] or 0) > 0]
        for unit, x, point in shown:
            text = f"host/this {point['host_ratio']:.2f}" if self.ratio else \
                f"median {point['median_us']:.2f} us, min {point['min_us']:.2f}, max {point['max_us']:.2f}"
            marks.append(f"<g><title>{plain(row.name)}, unit {unit}: {text}</title>"
                         f"{row.mark(point, x, at(point[self.key]))}</g>")
        return marks + ["</g>"]


def legend(rows):
    x = LEFT + WIDTH + 20
    for i, row in enumerate(rows):
        y = TOP + 8 + 20 * i
        yield (f'<g class="{row.kind}"><path class="curve" d="M{x} {y}h28"/>{row.mark(None, x + 14, y)}'
               f'{label("name", x + 36, y + 4, row.name)}</g>')


SPREAD = ("min_us", "max_us"), "Vertical lines: from the shortest to the longest time."


def lines(run, rows, spread):
    """Returns the two plots. spread: the keys of the ends of the vertical lines, and a sentence about them."""
    units = [result["unit"] for result in run["results"]]
    host = next((i for i, row in enumerate(rows) if row.reference), None)
    ends, caption = spread
    panels = [Panel(False, rows, units, ends, TOP, TIME_HEIGHT)]
    if host is not None:
        panels.append(Panel(True, rows, units, ends, panels[0].bottom + GAP, RATIO_HEIGHT))
    marks = []
    for panel in panels:
        marks += panel.frame(panel is panels[-1])
        for i in range(len(rows)):
            if not (panel.ratio and i == host):
                marks += panel.row(i)
    caption += " No host/this, because host is not among the algorithms." if host is None else ""
    if any(row.misled(point) for row in rows for point in row.points):
        caption += " Hollow marks: another algorithm served, usually Open MPI's."
    height = max(panels[-1].bottom + BOTTOM, TOP + 20 * (len(rows) + 1))
    return picture((WIDTH_ALL, height), STYLES, head_of(run, caption), marks + list(legend(rows)))


# ---- one unit: bars ----

BARS_LEFT, BARS_WIDTH, BAR_ROW, BAR, COLUMN = MARGIN + 160, 360, 26, 16, 84
COLUMNS = {"median_us": "median", "min_us": "min", "max_us": "max", "host_ratio": "host/this"}


def bar(row, along, y):
    """Returns the bar of a row, its spread and its values. An arrow marks a spread that extends beyond the axis."""
    point = row.points[0]
    end = "m-5 -4l5 4l-5 4" if point["max_us"] > along.most else "m0 -3v6"
    marks = [f'<g class="{row.kind}">', label("end name", BARS_LEFT - 8, y + 4, row.name),
             f'<rect class="bar" x="{BARS_LEFT}" y="{y - BAR / 2:.1f}" '
             f'width="{along.at(point["median_us"]) - BARS_LEFT:.1f}" height="{BAR}"/>',
             f'<path class="range" d="M{along.at(point["min_us"]):.1f} {y - 3:.1f}v6m0 -3'
             f'H{along.at(min(point["max_us"], along.most)):.1f}{end}"/>']
    marks += [label("end", BARS_LEFT + BARS_WIDTH + (i + 1) * COLUMN, y + 4, f"{point[key]:.2f}")
              for i, key in enumerate(COLUMNS) if point[key] is not None]
    return marks + ["</g>"]


def bars(run, rows):
    """Returns the bars. The axis ends at twice the longest median, so that one slow iteration does not shorten them."""
    median, longest = (max(row.points[0][key] for row in rows) for key in ("median_us", "max_us"))
    most = max(min(2 * median, longest), 1e-3)
    along = Axis(0, most, BARS_LEFT, BARS_LEFT + BARS_WIDTH)
    top, bottom = TOP, TOP + BAR_ROW * len(rows)
    step = tick_of(most * 1000, 6) / 1000       # a multiple of a nanosecond
    marks = []
    for i in range(math.floor(most / step) + 1):
        x = along.at(i * step)
        marks += [f'<path class="grid" d="M{x:.1f} {top}V{bottom}"/>', label("middle", x, bottom + 17, f"{i * step:g}")]
    marks.append(label("middle", BARS_LEFT + BARS_WIDTH / 2, bottom + 36, "us"))
    marks += [label("stage end", BARS_LEFT + BARS_WIDTH + (i + 1) * COLUMN, top - 10, title)
              for i, title in enumerate(COLUMNS.values())]
    for i, row in enumerate(rows):
        marks += bar(row, along, top + (i + 0.5) * BAR_ROW)
    caption = "Bars: median times; black lines: shortest to longest. host/this above 1: the row is faster than host."
    return picture((WIDTH_ALL, bottom + 48), STYLES, head_of(run, caption), marks)


def draw(run, spread=SPREAD):
    rows = rows_of(run)
    return lines(run, rows, spread) if len(run["results"]) > 1 else bars(run, rows)
