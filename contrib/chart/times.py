"""times.py - draws a schedule over time: the messages of each rank, and how long they take.

Each rank has two rows, one for sent and one for received messages. Time runs from left to right; its unit is the time
in which a port transfers one byte. While a rank does not send, or does not receive, its row is hatched. Figures 1 (d)
and (e) of the paper by Guo and Pan (docs/algorithms.md) have this form. A dashed line shows the time at which the
busiest rank would end if it never waited. The tooltip of a bar shows its message.
"""
from .svg import LEGEND_LINE, MARGIN, TITLE, label, picture, plural, tick_of

ROW, RANK, LABEL, SIDE, STEP, PLOT_MIN, PLOT_MAX = 16, 40, 72, 42, 26, 900, 4000    # pixels
SAMPLE, HEADING, AXIS, DIGIT, TICKS_MAX = 26, 32, 44, 7, 12
STYLES = """.rank { text-anchor: end; }
.from.s0 { fill: #cfe5f7; }
.from.s1 { fill: #fde4c5; }
.number { font-size: 13px; fill: #222; }
.to { font-size: 11px; text-anchor: middle; }
.idle { fill: url(#hatch); }
.cell { stroke-width: .5; }
.tick, .barrier { stroke: #666; stroke-width: 1; }
.bound { stroke: #d01c1c; stroke-width: 2; stroke-dasharray: 6 4; }
"""
HATCH = '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" ' \
        'patternTransform="rotate(45)"><rect width="6" height="6" fill="#f0f0f0"/>' \
        '<rect width="1.5" height="6" fill="#bbb"/></pattern></defs>'
CAPTION = "A bar is a message; its number is the rank at the other end; its length is its time. "
STEPS = "A step begins when all ranks have ended the previous step."
ASYNC = "A message begins when both of its ranks are free."


class Chart:
    """messages: step, from, to, offset, length, whether the message is split, begin and end of the step."""

    def __init__(self, given):
        self.messages, self.makespan, self.bound = given["messages"], given["makespan"], given["bound"]
        self.ranks, self.steps, self.splits = given["ranks"], given["steps"], given["splits"]
        self.asynchronous = given["async"]
        busy, all_of = sum(message[4] for message in self.messages), self.makespan * self.ranks
        self.idle = 100 * (1 - busy / all_of) if all_of > 0 else 0
        self.legend = list(self.legend_rows())
        self.left, self.top = MARGIN + LABEL, TITLE + HEADING + LEGEND_LINE * len(self.legend)
        self.width = max(PLOT_MIN, self.steps * STEP if self.steps < PLOT_MAX // STEP else PLOT_MAX)
        self.bottom = self.top + self.ranks * RANK

    def x(self, time):
        return self.left + self.width * time / max(self.makespan, 1)

    def y(self, rank, side):
        """Returns the upper edge of a row; side 0: sent messages of the rank, 1: received messages."""
        return self.top + rank * RANK + (RANK - 2 * ROW) // 2 + side * ROW

    def legend_rows(self):
        """Yields the entries of the legend, only for marks in the picture."""
        if any(not message[5] for message in self.messages):
            yield "cell s0", "a whole message: dark at its sender, pale at its receiver"
        if self.splits > 0:
            yield "cell s1", f"a part of a split message; there {'is' if self.splits == 1 else 'are'} " \
                             f"{plural(self.splits, 'additional part')}"
        if self.idle > 0:
            yield "idle", f"no message: {self.idle:.1f} % of the time, which is {self.makespan} bytes in " \
                          f"{plural(self.steps, 'step')}"
        if self.bound > 0:
            yield "bound", f"{self.bound} bytes: what the busiest rank sends or receives; no schedule ends earlier"

    def sample(self, row, kind, text):
        y = TITLE - 8 + row * LEGEND_LINE
        if kind == "bound":
            return f'<path class="bound" d="M{MARGIN} {y + 8}h{SAMPLE}"/>' \
                   f'<text x="{MARGIN + SAMPLE + 8}" y="{y + 13}">{text}</text>'
        return f'<rect class="{kind}" x="{MARGIN}" y="{y}" width="{SAMPLE}" height="{ROW}"/>' \
               f'<text x="{MARGIN + SAMPLE + 8}" y="{y + ROW - 4}">{text}</text>'

    def axis(self):
        tick = tick_of(self.makespan, TICKS_MAX)
        marks = [f'<path class="tick" d="M{self.x(i * tick):.2f} {self.bottom}v5"/>'
                 + label("step", self.x(i * tick), self.bottom + 17, i * tick)
                 for i in range(self.makespan // tick + 1)]
        marks.append(label("step", self.left + self.width // 2, self.bottom + 32,
                           "time, in units of the time of one byte"))
        if self.bound > 0:
            marks.append(f'<path class="bound" d="M{self.x(self.bound):.2f} {self.top - 4}V{self.bottom + 4}"/>')
        return marks

    def rows(self):
        x = self.left - SIDE
        marks = [label("rank", x, self.top - 6, "rank")]
        for rank in range(self.ranks):
            marks.append(label("rank number", x, self.y(rank, 1) + 4, rank))
            for side, name in enumerate(("to", "from")):
                y = self.y(rank, side)
                marks += [label("rank", self.left - 6, y + ROW - 4, name),
                          f'<rect class="idle" x="{self.left}" y="{y + 1}" '
                          f'width="{self.width if self.makespan > 0 else 0}" height="{ROW - 2}"/>']
        return marks

    def bar(self, message, side):
        """Returns the box of one end of a message, with the rank of the other end."""
        _, source, to, _, length, is_split, begin, _ = message
        x, y = self.x(begin), self.y(to if side else source, side)
        width, other = self.x(begin + length) - x, source if side else to
        text = f'<rect class="cell s{int(is_split)}{" from" if side else ""}" x="{x:.2f}" y="{y + 1}" ' \
               f'width="{width:.2f}" height="{ROW - 2}"/>'
        if width > len(str(other)) * DIGIT + 2:
            text += label("to", x + width / 2, y + ROW - 4, other) + "\n"
        return text

    def bars(self):
        for message in self.messages:
            step, source, to, offset, length = message[:5]
            yield f"<g><title>step {step}: {source} to {to}, bytes {offset} to {offset + length}</title>" \
                  f"{self.bar(message, 0)}{self.bar(message, 1)}</g>"

    def barriers(self):
        """Yields a line at the end of each step, and its number."""
        for step, begin, end in sorted({(message[0], message[6], message[7]) for message in self.messages}):
            x, right = self.x(begin), self.x(end)
            yield f'<path class="barrier" d="M{right:.2f} {self.top}V{self.bottom}"/>'
            if right - x > len(str(step)) * DIGIT + 2:
                yield label("step", (x + right) / 2, self.top - 6, step)


def draw(given):
    chart = Chart(given)
    marks = [HATCH] + [chart.sample(row, *what) for row, what in enumerate(chart.legend)] + chart.rows()
    marks += list(chart.bars()) + ([] if chart.asynchronous else list(chart.barriers())) + chart.axis()
    return picture((chart.left + chart.width + LABEL + MARGIN, chart.bottom + AXIS), STYLES,
                   (given["title"], given["input"], CAPTION + (ASYNC if chart.asynchronous else STEPS)), marks)
