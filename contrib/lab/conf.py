"""conf.py - reads the lines of Slurm's topology.conf as coll/irr does.

A job on the lab reads the same file, so the lab must accept and refuse the same lines as
ucx_engine/problem/topology_lines.c and hostlist.c; tests/lab_topology.sh compares both.  Each byte is one character
(latin-1); blanks and digits are those of ASCII.  This module is pure.
"""

import itertools
import re
from typing import NamedTuple

from common import LabError, at

KEYWORDS = {word.lower(): word for word in ("SwitchName", "Nodes", "Switches", "LinkSpeed", "NodeSpeed")}
BLANKS = " \t\v\f\r"
LINE_BYTES = 64 * 1024 - 1
MOST_NAMES = 65536
NAME_BYTES = 255
FASTEST = 2 ** 32 - 1
LETTER = r"""(?:(?![,\[\]"'=#\\])[!-~])"""      # a character of a name
WORD = rf"[^{BLANKS}]*"
PAIR = re.compile(rf"([A-Za-z0-9_.]+)[{BLANKS}]*=[{BLANKS}]*")
VALUE = re.compile(rf'"([^"]+)"(?![^{BLANKS}])|([^"{BLANKS}][^{BLANKS}]*)')
ITEM = re.compile(rf"(?:[^,\n{BLANKS}\[]|\[[^\]]*(?:\]|\Z))+")
TOKEN = re.compile(rf"\[([^\]]*)\]|({LETTER}+)|(.)", re.DOTALL)


class Line(NamedTuple):
    """A line: a switch, its hosts and lower switches, and the speeds of its uplink and of its hosts' links."""
    number: int
    switch: str
    nodes: list
    switches: list
    speed: int
    node_speed: int


# ---- names with ranges ----

def expand_range(text):
    match = re.fullmatch("([0-9]{1,18})(?:-([0-9]{1,18}))?", text)
    if not match:
        raise LabError(f"'{text}' in brackets is not a number or a range such as 0-7")
    first, last = int(match[1]), int(match[2] or match[1])
    if last < first:
        raise LabError(f"range '{text}' descends")
    if last - first >= MOST_NAMES:
        raise LabError(f"range '{text}' has more than {MOST_NAMES} numbers")
    return [str(number).zfill(len(match[1])) for number in range(first, last + 1)]


def expand_group(text):
    """Returns the numbers that the text in brackets stands for, with leading zeros."""
    numbers = []
    for word in text.split(","):
        numbers += expand_range(word)
        if len(numbers) > MOST_NAMES:
            raise LabError(f"'[{text[:64]}]' has more than {MOST_NAMES} numbers")
    return numbers


def expand_item(item):
    """Yields the names that the text between two commas stands for; the last group varies fastest."""
    choices = []
    for group, literal, wrong in TOKEN.findall(item):
        if wrong:
            raise LabError(f"the brackets of '{item[:64]}' do not match" if wrong in "[]" else
                           f"a name cannot have a '{wrong}', as in '{item[:64]}'")
        choices.append([literal] if literal else expand_group(group))
    for name in map("".join, itertools.product(*choices)):
        if len(name) > NAME_BYTES:
            raise LabError(f"name '{name[:64]}...' is longer than {NAME_BYTES} bytes")
        yield name


def expand(text):
    """Returns the names that a list such as n[1-3,7],login stands for."""
    all_names = (name for item in ITEM.findall(text) for name in expand_item(item))
    names = list(itertools.islice(all_names, MOST_NAMES + 1))
    if not names:
        raise LabError("list of names is empty")
    if len(names) > MOST_NAMES:
        raise LabError(f"more than {MOST_NAMES} names")
    return names


# ---- lines ----

def cut_line(line):
    """Returns a line without its comment, and whether the next line continues it."""
    if len(line) > LINE_BYTES or "\0" in line:
        raise LabError(f"the line is longer than {LINE_BYTES} bytes, or has a byte with value 0")
    text, comment, _ = line.partition("#")
    said = text.rstrip(BLANKS)
    if "\\" in said[:-1] or (said.endswith("\\") and comment and said == text):
        raise LabError("a backslash is allowed only at the end of a line")
    goes_on = said.endswith("\\")
    return (said[:-1] if goes_on else said), goes_on


def logical_lines(text):
    """Yields number and text of each line that is not blank, joined with the lines that continue it."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    first, held, goes_on = 1, [], False
    for number, line in enumerate(lines, 1):
        with at(f"line {number}"):
            said, goes_on = cut_line(line)
        held.append(said)
        if not goes_on:
            if "".join(held).strip(BLANKS):
                yield first, "".join(held)
            first, held = number + 1, []
    if goes_on:
        raise LabError(f"line {len(lines)}: file ends after a backslash")


def cut_pair(text):
    """Splits KEYWORD=VALUE off the start of a text.  Returns the keyword, the value and the rest of the text."""
    pair = PAIR.match(text)
    if not pair:
        raise LabError(f"'{re.match(WORD, text)[0][:64]}' is not KEYWORD=VALUE")
    keyword = KEYWORDS.get(pair[1].lower())
    if not keyword:
        raise LabError(f"unknown keyword '{pair[1][:32]}', known are {', '.join(KEYWORDS.values())}")
    value = VALUE.match(text, pair.end())
    if not value:
        raise LabError(f"'{text[pair.end():][:32]}' is no value of {keyword}; allowed is a text without blanks, or "
                       "one in double quotes")
    return keyword, value[1] or value[2], text[value.end():].lstrip(BLANKS)


def fields(line):
    """Returns the values of a line by keyword."""
    found = {}
    rest = line.lstrip(BLANKS)
    while rest:
        keyword, value, rest = cut_pair(rest)
        if keyword in found:
            raise LabError(f"{keyword} appears twice")
        found[keyword] = value
    return found


def speed_of(found, keyword):
    """Returns a speed; 1 if the line has none."""
    text = found.get(keyword, "1")
    match = re.fullmatch("0*([1-9][0-9]{0,9})", text)
    if not match or int(match[1]) > FASTEST:
        raise LabError(f"{keyword} '{text[:32]}' is not an integer from 1 to {FASTEST}")
    return int(match[1])


def names_of(found, keyword):
    with at(keyword):
        return expand(found[keyword]) if keyword in found else []


def read_line(number, text):
    found = fields(text)
    name = found.get("SwitchName")
    if not name:
        raise LabError("SwitchName is missing")
    if not re.fullmatch(f"{LETTER}{{1,{NAME_BYTES}}}", name):
        raise LabError(f"SwitchName '{name[:64]}' is not the name of one switch")
    if "Nodes" not in found and "Switches" not in found:
        raise LabError(f"switch '{name}' has neither Nodes nor Switches")
    if "Nodes" not in found and "NodeSpeed" in found:
        raise LabError(f"switch '{name}' has NodeSpeed, but no Nodes")
    return Line(number, name, names_of(found, "Nodes"), names_of(found, "Switches"), speed_of(found, "LinkSpeed"),
                speed_of(found, "NodeSpeed"))


def read_lines(text):
    """Yields a Line for each switch."""
    for number, line in logical_lines(text):
        with at(f"line {number}"):
            read = read_line(number, line)
        yield read
