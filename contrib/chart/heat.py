"""heat.py - draws heat maps: cells coloured by bytes on a logarithmic scale.

matrix: a row for each sender, a column for each receiver. steps: a row for each rank, a column for each step, the
stages side by side. To keep the file small, all cells of a colour are one path, and adjacent cells of a row are one
stroke of this path. A stroke takes about ten bytes.
"""
import math

from .svg import MARGIN, TITLE, bytes_text, label, picture, plural

SIDE, AXIS_LEFT, LEGEND_GAP = 768, 64, 32
LEGEND_WIDTH, LEGEND_HEIGHT = 114, 336
LEVELS = 32
ANCHORS = [(226, 240, 176), (136, 207, 178), (61, 162, 193), (37, 97, 166), (24, 26, 84)]
TICK_MIN, GAPS_MIN = 36, 8                          # pixels: distance of numbers; size of cells with gaps
KEY_WIDTH, KEY_HEIGHT, KEY_LINE = 18, 288, 16       # pixels of the legend


def colour(level):
    """Returns the colour of a level, from pale for few bytes to dark."""
    at = level * (len(ANCHORS) - 1) / (LEVELS - 1)
    low = min(int(at), len(ANCHORS) - 2)
    return "#" + "".join(f"{math.floor(a + (b - a) * (at - low) + 0.5):02x}"
                         for a, b in zip(ANCHORS[low], ANCHORS[low + 1]))


STYLES = """.m { text-anchor: middle; }
.e { text-anchor: end; }
.none { fill: #fff; stroke: #bbb; }
.gap { stroke: #fff; fill: none; }
.line { stroke: #000; stroke-opacity: 0.12; fill: none; }
rect.key { stroke: none; }
.v { font-size: 10px; text-anchor: middle; }
.d { fill: #fff; }
""" + "".join(f".l{i} {{ fill: {colour(i)}; stroke: {colour(i)}; }}\n" for i in range(LEVELS))


class Scale:
    """Maps bytes to colours; white stands for 0."""

    def __init__(self, cells):
        some = [cell for cell in cells if cell > 0]
        self.least, self.most = (min(some), max(some)) if some else (0, 0)
        self.white = len(some) < len(cells)

    def place(self, count):
        """Returns the position of a number of bytes on the scale, from 0 to 1."""
        if self.most == self.least:
            return 1
        return (math.log(count) - math.log(self.least)) / (math.log(self.most) - math.log(self.least))

    def level(self, count):
        return min(int(self.place(count) * LEVELS), LEVELS - 1) if count > 0 else -1

    def legend(self, x, top, nothing):
        """nothing: the meaning of a white cell."""
        bottom = top + KEY_HEIGHT + KEY_LINE if self.most > 0 else top
        marks = []
        if self.most > self.least:
            height = KEY_HEIGHT // LEVELS
            marks += [key(f"key l{level}", x, top + KEY_HEIGHT - (level + 1) * height, height)
                      for level in range(LEVELS)]
            marks += [key_text(x, y, count) for y, count in self.legend_texts(top)]
        elif self.most > 0:
            marks += [key(f"key l{LEVELS - 1}", x, bottom - KEY_LINE - KEY_WIDTH, KEY_WIDTH),
                      key_text(x, bottom - KEY_LINE - KEY_WIDTH // 2, self.most)]
        if self.white:
            marks.append(key("none", x, bottom, KEY_WIDTH) + f'<text x="{x + KEY_WIDTH + 8}" '
                         f'y="{bottom + KEY_WIDTH // 2 + 4}">{nothing}</text>')
        return marks

    def legend_texts(self, top):
        """Returns both ends of the scale, and the powers of ten between them, with 2 and 5 times these if they fit."""
        texts = [(top + KEY_HEIGHT, self.least), (top, self.most)]
        last = top + KEY_HEIGHT
        power = 1
        while power <= self.most:
            for digit in (1, 2, 5) if self.most // self.least < 1000 else (1,):
                y = top + int((1 - self.place(power * digit)) * KEY_HEIGHT)
                if last - y >= KEY_LINE and y - top >= KEY_LINE:
                    texts.append((y, power * digit))
                    last = y
            power *= 10
        return texts


def key(kind, x, y, height):
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{KEY_WIDTH}" height="{height}"/>'


def key_text(x, y, count):
    return f'<text x="{x + KEY_WIDTH + 8}" y="{y + 4}">{bytes_text(count)}</text>'


def number_step(pixels):
    """Returns the distance of the numbers beside rows or columns, a power of two."""
    step = 1
    while step * pixels < TICK_MIN:
        step *= 2
    return step


class Map:
    """A grid of cells of the same size in pixels."""

    def __init__(self, rows, width, height, left, top):
        self.rows, self.width, self.height, self.left, self.top = rows, width, height, left, top
        self.columns = len(rows[0])

    def level_path(self, level, levels):
        strokes = ""
        for y, row in enumerate(levels):
            x = 0
            while x < len(row):
                end = x + 1
                while end < len(row) and row[end] == row[x]:
                    end += 1
                strokes += f"M{x} {y}h{end - x}" if row[x] == level else ""
                x = end
        return [f'<path d="{strokes}" class="l{level}"/>'] if strokes else []

    def grid(self, columns, rows, kind):
        strokes = "".join(f"M{self.left + x * self.width} {self.top}v{len(self.rows) * self.height}"
                          for x in range(columns, self.columns, columns))
        strokes += "".join(f"M{self.left} {self.top + y * self.height}h{self.columns * self.width}"
                           for y in range(rows, len(self.rows), rows))
        return f'<path d="{strokes}" class="{kind}"/>'

    def cells(self, scale):
        """Returns frame and cells, and a grid line for each number beside them."""
        marks = [f'<rect class="none" x="{self.left}" y="{self.top}" width="{self.columns * self.width}" '
                 f'height="{len(self.rows) * self.height}"/>',
                 f'<g shape-rendering="crispEdges" transform="translate({self.left},{self.top + self.height / 2:g}) '
                 f'scale({self.width},{self.height})">']
        levels = [[scale.level(cell) for cell in row] for row in self.rows]
        for level in range(LEVELS):
            marks += self.level_path(level, levels)
        marks.append("</g>")
        if self.width >= GAPS_MIN and self.height >= GAPS_MIN:
            marks.append(self.grid(1, 1, "gap"))
        return marks + [self.grid(number_step(self.width), number_step(self.height), "line")]

    def column_numbers(self, kind, together, first):
        return [label(kind, self.left + i * self.width + self.width // 2, self.top - 6, i * together + first)
                for i in range(0, self.columns, number_step(self.width))]

    def rank_numbers(self, together):
        return [f'<text class="m" transform="translate({MARGIN + 10},'
                f'{self.top + len(self.rows) * self.height // 2}) rotate(-90)">from rank</text>'] + \
            [label("rank e", self.left - 6, self.top + i * self.height + self.height // 2 + 4, i * together)
             for i in range(0, len(self.rows), number_step(self.height))]


def matrix(given):
    """Draws a matrix. A cell is the longest message from `together` ranks to `together` ranks."""
    rows, together, figures = given["cells"], given["together"], given["figures"]
    size = min(SIDE // len(rows), 48)
    side = len(rows) * size
    cells = Map(rows, size, size, MARGIN + AXIS_LEFT, TITLE + 36)
    scale = Scale([cell for row in rows for cell in row])
    marks = [label("m", cells.left + side // 2, cells.top - 22, "to rank")]
    marks += cells.column_numbers("rank m", together, 0) + cells.rank_numbers(together) + cells.cells(scale)
    if size > 46:
        marks += [label("v d" if scale.level(cell) >= LEVELS * 5 // 8 else "v", cells.left + x * size + size // 2,
                        cells.top + y * size + size // 2 + 4, bytes_text(cell))
                  for y, row in enumerate(rows) for x, cell in enumerate(row) if cell > 0]
    marks += scale.legend(cells.left + side + LEGEND_GAP, cells.top + 4, "no message")
    source = f"matrix {given['path']}"
    source += f"; a cell is the longest message from {together} ranks to {together} ranks" if together > 1 else ""
    caption = f"{figures['messages']} messages between ranks, {bytes_text(figures['bytes'])}, " \
              f"density {figures['density']:.3g}; the longest has {bytes_text(figures['longest'])}, " \
              f"{figures['longest'] / figures['mean'] if figures['mean'] > 0 else 1:.3g} times the mean; " \
              f"the busiest rank has {figures['skew']:.3g} times the bytes of the mean"
    return picture((cells.left + side + LEGEND_GAP + LEGEND_WIDTH + MARGIN,
                    cells.top + max(side, LEGEND_HEIGHT) + MARGIN), STYLES,
                   (f"bytes from rank to rank, {plural(given['ranks'], 'rank')}", source, caption), marks)


def title_of(given):
    """Returns the title, which explains a cell."""
    ranks, together = given["ranks_together"], given["steps_together"]
    return given["title"] + "; a cell: " + ("the most bytes that" if ranks > 1 or together > 1 else "bytes that") + \
        (f" one of {ranks} ranks sends" if ranks > 1 else " a rank sends") + \
        (f" in one of {together} steps" if together > 1 else " in a step")


def stage_text(stage):
    return f"{plural(stage['messages'], 'message')} in {plural(stage['steps'], 'step')}, " \
           f"the largest of {stage['largest']} bytes"


def steps(given):
    """Draws the steps. A cell is the largest number of bytes that one of its ranks sends in one of its steps."""
    stages = given["stages"]
    columns = sum(len(stage["cells"][0]) for stage in stages)
    x, top = MARGIN + AXIS_LEFT, TITLE + 18 * len(stages) + 44
    maps = []
    for stage in stages:
        rows = stage["cells"]
        maps.append(Map(rows, max(6, min(26, SIDE // columns)), max(3, min(18, SIDE // len(rows))), x, top))
        right = x + max(64, maps[-1].columns * maps[-1].width)
        x = right + 24
    scale = Scale([cell for stage in stages for row in stage["cells"] for cell in row])
    marks = []
    for i, (stage, cells) in enumerate(zip(stages, maps)):
        marks += [f'<text x="{MARGIN}" y="{TITLE + 8 + i * 18}">stage {i + 1}: {stage_text(stage)}</text>',
                  label("stage", cells.left, top - 26, f"stage {i + 1}")]
        marks += cells.column_numbers("step", given["steps_together"], 1) + cells.cells(scale)
    marks += maps[0].rank_numbers(given["ranks_together"])
    marks += scale.legend(right + LEGEND_GAP, top + 4, "nothing sent")
    side = len(maps[0].rows) * maps[0].height
    return picture((right + LEGEND_GAP + LEGEND_WIDTH + MARGIN, top + max(side, LEGEND_HEIGHT) + MARGIN), STYLES,
                   (title_of(given), given["input"],
                    "Rows: senders, or groups of senders. Columns: steps, or groups of steps."), marks)
