"""svg.py - pieces of all pictures: the head with its three lines, texts, axes, plurals."""
import math
from html import escape

MARGIN, TITLE = 16, 86      # pixels beside the picture, and of the three lines above it
LEGEND_LINE = 20            # pixels of a row of a legend
# Pale enough for dark text, and no two that a colour-blind reader would take for each other side by side.
PALE = ["#9ecbf0", "#fbc98a", "#a5dfae", "#d9bff0", "#f7e58b", "#f4b3c2", "#9fe0e0", "#d6c6b0"]
STYLES = """text { font: 12px sans-serif; fill: #222; }
.title { font-size: 18px; font-weight: bold; }
.stage { font-size: 14px; font-weight: bold; }
.rank, .step { font-size: 11px; fill: #666; }
.step { text-anchor: middle; }
.cell { stroke: #fff; }
"""


def plain(text):
    """Text as XML has it. A character that the encoding might not allow becomes a question mark."""
    return escape("".join(c if " " <= c <= "~" else "?" for c in text), quote=False)


def label(kind, x, y, text):
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{plain(str(text))}</text>'


def plural(count, noun):
    return f"{count} {noun}{'' if count == 1 else 's'}"


def bytes_text(count):
    """Bytes as people read them: exact up to 99999 B, then three digits and kB, MB and so on."""
    if count < 100000:
        return f"{int(count)} B"
    for unit in ("kB", "MB", "GB", "TB", "PB", "EB"):
        count /= 1000
        if count < 999.5:
            break
    return f"{count:.3g} {unit}"


def picture(size, styles, lines, parts):
    """The whole file. lines: title, input and caption, for which the picture becomes wider if they need it."""
    width, height = size
    title, source, caption = map(plain, lines)
    width = max(width, 720, 2 * MARGIN + max(11 * len(lines[0]), 7 * len(lines[1]), 7 * len(lines[2])))
    colours = "".join(f".s{i} {{ fill: {colour}; }}\n" for i, colour in enumerate(PALE))
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        f"<title>{title}</title>", f"<style>\n{STYLES}{styles}{colours}</style>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text class="title" x="{MARGIN}" y="30">{title}</text>', f'<text x="{MARGIN}" y="50">{source}</text>',
        f'<text x="{MARGIN}" y="68">{caption}</text>'] + parts + ["</svg>", ""])


class Axis:
    """From values to pixels: logarithmic, but linear from 0."""

    def __init__(self, least, most, begin, end):
        self.least, self.most, self.begin, self.end = least, most, begin, end

    def at(self, value):
        span = math.log(self.most / self.least) if self.least > 0 else self.most
        part = math.log(value / self.least) if self.least > 0 else value
        return self.begin + (part / span if span > 0 else 0.5) * (self.end - self.begin)


def ticks(least, most, fine):
    """1, 2 and 5 times the powers of ten in a range, or the powers alone if they are many."""
    powers = range(math.floor(math.log10(least)), math.floor(math.log10(most)) + 1)
    return [tick for power in powers for digit in ((1, 2, 5) if fine else (1,))
            if least <= (tick := digit * 10.0 ** power) <= most]


def tick_of(span, most):
    """1, 2 or 5 times a power of ten, so that a linear axis has at most so many ticks."""
    power = 1
    while True:
        for digit in (1, 2, 5):
            if span <= power * digit * most:
                return power * digit
        power *= 10
