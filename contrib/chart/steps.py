"""steps.py - draws a plan by step: the receiver of each rank in each step.

The picture has a row for each sending rank and a column for each step, with the stages side by side. A cell shows the
rank that receives the message, and is empty if there is no message. A red frame marks a message whose receiver receives
another message in the same step. The legend explains the marks in the picture. The tooltip of a cell shows its message.
"""
from collections import Counter

from .heat import stage_text
from .svg import LEGEND_LINE, MARGIN, PALE, TITLE, label, picture

CELL, HEIGHT, LABEL, STAGE_GAP, STAGE_MIN, HEADING = 26, 18, 36, 24, 64, 44     # pixels
STYLES = """.to { text-anchor: middle; }
.contended { stroke: #d01c1c; stroke-width: 1.5; }
"""
CAPTION = "Rows: senders. Columns: steps. The number in a cell is the rank that receives the message."


def pattern(stage, width):
    """Returns the pattern that fills the empty cells of a stage."""
    return f'<defs><pattern id="empty{stage}" width="{width}" height="{HEIGHT}" patternUnits="userSpaceOnUse">' \
           f'<rect width="{width}" height="{HEIGHT}" fill="#e9e9e9" stroke="#fff"/>' \
           f'<circle cx="{width // 2}" cy="{HEIGHT // 2}" r="1.5" fill="#888"/></pattern></defs>'


def sample(row, kind, sign, text):
    """Returns a row of the legend: a cell and its meaning."""
    y = TITLE - 8 + row * LEGEND_LINE
    fill = "" if kind else ' fill="#e9e9e9"'
    return f'<g transform="translate({MARGIN},{y})"><rect class="{kind}" width="{CELL}" height="{HEIGHT}"{fill}/>' \
           f'<text class="to" x="{CELL // 2}" y="{HEIGHT - 5}">{sign}</text></g>' \
           f'<text x="{MARGIN + CELL + 8}" y="{y + HEIGHT - 5}">{text}</text>'


def rank_numbers(ranks, x, top, anchor):
    lines = [label("rank", x, top - 6, "rank")]
    lines += [label("rank", x, top + (r + 1) * HEIGHT - 5, r) for r in range(ranks)]
    return f'<g style="text-anchor: {anchor}">' + "\n".join(lines) + "\n</g>"


def cell(message, width, contended):
    stage, step, source, to, count = message
    x, y = (step - 1) * width, source * HEIGHT
    kind = f"cell {'contended ' if contended else ''}s{(stage - 1) % len(PALE)}"
    return f"<g><title>stage {stage} step {step}: {source} to {to}, {count} bytes</title>" \
           f'<rect class="{kind}" x="{x + 1}" y="{y + 1}" width="{width - 2}" height="{HEIGHT - 2}"/>' \
           f'<text class="to" x="{x + width // 2}" y="{y + HEIGHT - 5}">{to}</text></g>'


def draw_stage(given, number, x, top, width, contended):
    """Returns a stage: heading, numbers of steps, empty cells, and the messages over them."""
    steps = given["stages"][number]["steps"]
    marks = [f'<g transform="translate({x},{top})">', label("stage", 0, 18 - HEADING, f"stage {number + 1}")]
    marks += [label("step", k * width + width // 2, -6, k + 1) for k in range(steps)]
    marks.append(f'<rect width="{steps * width}" height="{given["ranks"] * HEIGHT}" fill="url(#empty{number})"/>')
    marks += [cell(message, width, message in contended) for message in given["messages"] if message[0] == number + 1]
    return marks + ["</g>"]


def draw(given):
    ranks, stages = given["ranks"], given["stages"]
    messages = given["messages"] = [tuple(message) for message in given["messages"]]
    received = Counter((stage, step, to) for stage, step, _, to, _ in messages)
    contended = {message for message in messages if received[message[0], message[1], message[3]] > 1}
    widths = [max([CELL] + [7 * len(str(to)) + 10 for stage, _, _, to, _ in messages if stage == i + 1])
              for i in range(len(stages))]
    has_empty = sum(stage["steps"] for stage in stages) * ranks > len(messages)
    legend = [(f"cell s{i % len(PALE)}", "", f"stage {i + 1}: {stage_text(stage)}") for i, stage in enumerate(stages)]
    legend += [("cell contended s0", "7", "several ranks send to rank 7 in this step")] if contended else []
    legend += [("", "&#183;", "the rank sends nothing in this step")] if has_empty else []
    top = TITLE + HEADING + LEGEND_LINE * len(legend)
    left = x = right = MARGIN + LABEL
    marks = []
    for i, width in enumerate(widths):
        marks += draw_stage(given, i, x, top, width, contended)
        right = x + max(STAGE_MIN, stages[i]["steps"] * width)
        x = right + STAGE_GAP
    head = [pattern(i, width) for i, width in enumerate(widths)]
    head += [sample(row, *what) for row, what in enumerate(legend)]
    head += [rank_numbers(ranks, left - 8, top, "end"), rank_numbers(ranks, right + 8, top, "start")]
    return picture((right + LABEL + MARGIN, top + ranks * HEIGHT + MARGIN), STYLES,
                   (given["title"], given["input"], CAPTION), head + marks)
