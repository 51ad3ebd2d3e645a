"""tree.py - draws the switches and hosts that the ranks use, and the bytes on each direction of each link.

The top switch is at the left, and each vertex is as high as all vertices below it.  A link is therefore two arrows in
the gap between its ends, and no arrows cross. The width of an arrow is its load: its bytes divided by the speed of the
link. The arrows with the largest load are red. The tooltip of an arrow shows its bytes.
"""
from .svg import MARGIN, TITLE, bytes_text, label, picture, plain

ROW, BOX_GAP, BOX_MIN, LETTER, DIGIT, LINK = 44, 4, 100, 8, 7, 170      # pixels
ARROW_MARGIN, ARROW_OFFSET, ARROW_MIN, ARROW_MAX, HEAD, HEAD_MORE = 5, 10, 2, 13, 9, 6
LEGEND, SAMPLE = 22, 60
LETTERS_MAX = 24            # of a name; the tooltip has the whole name
STYLES = """.switch { fill: #e4e4e4; }
.host { fill: #f5efdc; }
.used { fill: #7fb2de; }
.busiest { fill: #d01c1c; }
.paper { fill: #fff; }
.unused { fill: none; stroke: #aaa; stroke-dasharray: 2 4; }
.name { font-weight: bold; text-anchor: middle; }
.on { text-anchor: middle; }
.bytes { font-size: 11px; text-anchor: middle; }
"""


def short_name(name):
    """Returns a name that fits, without its domain, and if needed without its middle, because names differ at their
    ends."""
    if len(name) <= LETTERS_MAX:
        return name
    name = name.split(".")[0]
    shown = LETTERS_MAX // 2 - 1
    return name if len(name) <= LETTERS_MAX else f"{name[:shown]}..{name[-shown:]}"


def arrow(kind, x, y, length, width):
    """Returns an arrow from x to x + length; length may be negative."""
    half, neck = width / 2, x + length - (-HEAD if length < 0 else HEAD)
    return f'<path class="{kind}" d="M{x:g} {y - half:g}L{neck:g} {y - half:g}' \
           f'L{neck:g} {y - half - HEAD_MORE / 2:g}L{x + length:g} {y:g}L{neck:g} {y + half + HEAD_MORE / 2:g}' \
           f'L{neck:g} {y + half:g}L{x:g} {y + half:g}Z"/>'


class Tree:
    """Vertices and their coordinates. A link has two directions: [0] up, from a vertex to its parent, and [1] down."""

    def __init__(self, given):
        self.given, self.vertices, self.load = given, given["vertices"], given["load"]
        self.children = [[] for _ in self.vertices]
        root = None
        for v, vertex in enumerate(self.vertices):
            if vertex["parent"] < 0:
                root = v
            else:
                self.children[vertex["parent"]].append(v)
        self.column, self.first, self.rows = ([0] * len(self.vertices) for _ in range(3))
        self.place(root)
        self.box = max(BOX_MIN, max(min(len(vertex["name"]), LETTERS_MAX) for vertex in self.vertices) * LETTER + 12)
        links = [(v, down) for v, vertex in enumerate(self.vertices) if vertex["parent"] >= 0 for down in (0, 1)]
        self.busiest = [link for link in links if self.kind(*link) == "busiest"]
        self.used = any(self.kind(*link) == "used" for link in links)
        self.unused = any(self.kind(*link) == "unused" for link in links)
        self.top = TITLE + MARGIN + LEGEND * (bool(self.busiest) + self.used + self.unused)

    def place(self, root):
        """Assigns a row to each host, and to each switch the rows of all vertices below it."""
        order, todo = [], [root]
        while todo:
            v = todo.pop()
            order.append(v)
            for child in self.children[v]:
                self.column[child] = self.column[v] + 1
            todo += reversed(self.children[v])
        for v in reversed(order):
            self.rows[v] = sum(self.rows[child] for child in self.children[v]) or 1
        for v in order:
            row = self.first[v]
            for child in self.children[v]:
                self.first[child] = row
                row += self.rows[child]

    def kind(self, v, down):
        vertex = self.vertices[v]
        if vertex["bytes"][down] == 0:
            return "unused"
        return "busiest" if vertex["load"][down] == self.load else "used"

    def x(self, v):
        return MARGIN + self.column[v] * (self.box + LINK)

    def y(self, v):
        return self.top + self.first[v] * ROW + self.rows[v] * ROW // 2

    def link_name(self, v, down):
        vertex = self.vertices[v]
        ends = vertex["name"], self.vertices[vertex["parent"]]["name"]
        return " -> ".join(reversed(ends) if down else ends)

    def ranks(self, host):
        """Returns the ranks of a host as a text that fits: 0-3, or 0, 4, 8 and so on."""
        host_of, text, rank = self.given["host_of"], "rank ", 0
        while rank < len(host_of):
            last = rank
            while last + 1 < len(host_of) and host_of[last + 1] == host == host_of[rank]:
                last += 1
            if host_of[rank] == host:
                more = (", " if text != "rank " else "") + (f"{rank}-{last}" if last > rank else f"{rank}")
                if text != "rank " and len(text + more) > self.box // DIGIT - len(", .."):
                    return text + ", .."
                text += more
            rank = last + 1
        return text

    def direction(self, v, down):
        vertex, base = self.vertices[v], self.given["base"]
        count, right = vertex["bytes"][down], self.x(v) - ARROW_MARGIN
        left, y = right - LINK + 2 * ARROW_MARGIN, self.y(v) + (ARROW_OFFSET if down else -ARROW_OFFSET)
        speed = f", speed {vertex['speed']}" if vertex["speed"] != base else ""
        text = f"<g><title>{plain(self.link_name(v, down))}: {count} bytes{speed}</title>"
        if count == 0:
            return text + f'<path class="unused" d="M{left} {y}H{right}"/></g>'
        begin, length = (left, right - left) if down else (right, left - right)
        text += arrow(self.kind(v, down), begin, y, length,
                      ARROW_MIN + (ARROW_MAX - ARROW_MIN) * (vertex["load"][down] / self.load))
        name = bytes_text(count) + (f" / {vertex['speed'] / base:.3g}" if vertex["speed"] != base else "")
        width, middle = len(name) * DIGIT + 4, (left + right) // 2
        text += f'<rect class="paper" x="{middle - width // 2}" y="{y - 7}" width="{width}" height="14"/>'
        return text + label("bytes", middle, y + 4, name) + "\n</g>"

    def vertex(self, v):
        host, name = v < self.given["hosts"], self.vertices[v]["name"]
        x, y, height = self.x(v), self.y(v), self.rows[v] * ROW - BOX_GAP
        middle = x + self.box // 2
        text = f'<g><title>{plain(name)}</title><rect class="{"host" if host else "switch"}" x="{x}" ' \
               f'y="{y - height // 2}" width="{self.box}" height="{height}" rx="4"/>' \
               f'<text class="name" x="{middle}" y="{y - 2 if host else y + 4}">{plain(short_name(name))}</text>'
        if host:
            text += f'<text class="rank on" x="{middle}" y="{y + 13}">{self.ranks(v)}</text>'
        return text + "</g>"

    def legend(self):
        """Returns a sample and a text for each kind of arrow in the picture."""
        texts = []
        if self.busiest:
            others, (v, down) = len(self.busiest) - 1, self.given["busiest"]
            speed = " divided by its speed" if self.vertices[v]["speed"] != self.given["base"] else ""
            more = f", and {others} other{'' if others == 1 else 's'}" if others > 0 else ""
            texts.append(("busiest", f"the busiest link: {self.link_name(v, down)}, {self.load} bytes{speed}{more}"))
        if self.used:
            texts.append(("used", "another link in use; width: bytes divided by the speed of the link"))
        if self.unused:
            texts.append(("unused", "an idle link" + ("" if self.busiest else ": no message leaves its host")))
        for row, (kind, text) in enumerate(texts):
            y = TITLE + 6 + row * LEGEND
            sample = f'<path class="unused" d="M{MARGIN} {y}h{SAMPLE}"/>' if kind == "unused" else \
                arrow(kind, MARGIN, y, SAMPLE, ARROW_MAX if kind == "busiest" else (ARROW_MIN + ARROW_MAX) / 2)
            yield f'{sample}<text x="{MARGIN + SAMPLE + 8}" y="{y + 4}">{plain(text)}</text>'


def draw(given):
    tree = Tree(given)
    marks = list(tree.legend())
    for v, vertex in enumerate(tree.vertices):
        if vertex["parent"] >= 0:
            marks += [tree.direction(v, 0), tree.direction(v, 1)]
        marks.append(tree.vertex(v))
    times = given["contention"]
    shared = f"In {times} case{'s' * (times > 1)}, messages" if times else "No two messages"
    caption = f"Arrows show the bytes on each direction of a link. {shared} of one step share a direction of a link."
    width = (max(tree.column) + 1) * (tree.box + LINK) - LINK + 2 * MARGIN
    return picture((width, tree.top + sum(not below for below in tree.children) * ROW + MARGIN), STYLES,
                   (given["title"], given["input"], caption), marks)
