"""svg.py - shared elements of all pictures: the frame with its three lines, texts, axes, plurals."""
import math
from html import escape

MARGIN, TITLE = 16, 86      # pixels of the margin, and of the three lines above the picture
LEGEND_LINE = 20            # pixels of a row of a legend
# The colours are pale enough for dark text, and colour-blind readers can distinguish those next to each other.
PALE = ["#9ecbf0", "#fbc98a", "#a5dfae", "#d9bff0", "#f7e58b", "#f4b3c2", "#9fe0e0", "#d6c6b0"]
STYLES = """text { font: 12px sans-serif; fill: #222; }
.title { font-size: 18px; font-weight: bold; }
.stage { font-size: 14px; font-weight: bold; }
.rank, .step { font-size: 11px; fill: #666; }
.step { text-anchor: middle; }
.cell { stroke: #fff; }
"""


def plain(text):
    """Returns text escaped for XML. A character that the encoding may not allow becomes a question mark."""
    return escape("".join(c if " " <= c <= "~" else "?" for c in text), quote=False)


def label(kind, x, y, text):
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{plain(str(text))}</text>'


def plural(count, noun):
    return f"{count} {noun}{'' if count == 1 else 's'}"


def bytes_text(count):
    """Returns a number of bytes as text: exact up to 99999 B, then three digits and kB, MB and so on."""
    if count < 100000:
        return f"{int(count)} B"
    for unit in ("kB", "MB", "GB", "TB", "PB", "EB"):
        count /= 1000
        if count < 999.5:
            break
    return f"{count:.3g} {unit}"


def picture(size, styles, lines, marks):
    """Returns the whole file. lines: title, input and caption; the picture becomes as wide as they are."""
    width, height = size
    title, source, caption = map(plain, lines)
    width = max(width, 720, 2 * MARGIN + max(11 * len(lines[0]), 7 * len(lines[1]), 7 * len(lines[2])))
    colours = "".join(f".s{i} {{ fill: {colour}; }}\n" for i, colour in enumerate(PALE))
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        f"<title>{title}</title>", f"<style>\n{STYLES}{styles}{colours}</style>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text class="title" x="{MARGIN}" y="30">{title}</text>', f'<text x="{MARGIN}" y="50">{source}</text>',
        f'<text x="{MARGIN}" y="68">{caption}</text>'] + marks + ["</svg>", ""])


class Axis:
    """Maps values to pixels: linear if the axis begins at 0, else logarithmic."""

    def __init__(self, least, most, begin, end):
        self.least, self.most, self.begin, self.end = least, most, begin, end

    def at(self, value):
        span = math.log(self.most / self.least) if self.least > 0 else self.most
        place = math.log(value / self.least) if self.least > 0 else value
        return self.begin + (place / span if span > 0 else 0.5) * (self.end - self.begin)


def ticks(least, most, fine):
    """Returns 1, 2 and 5 times the powers of ten in a range, or only the powers if they are many."""
    powers = range(math.floor(math.log10(least)), math.floor(math.log10(most)) + 1)
    return [tick for power in powers for digit in ((1, 2, 5) if fine else (1,))
            if least <= (tick := digit * 10.0 ** power) <= most]


def tick_of(span, most):
    """Returns the distance of ticks, 1, 2 or 5 times a power of ten, for a linear axis with a maximum of ticks."""
    power = 1
    while True:
        for digit in (1, 2, 5):
            if span <= power * digit * most:
                return power * digit
        power *= 10
