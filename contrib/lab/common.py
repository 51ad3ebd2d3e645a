"""common.py - shared code of the lab: errors, running a command, values with a unit."""

import argparse
from contextlib import contextmanager
import re
import shutil
import signal
import subprocess
import sys

PACKAGES = {"ip": "iproute2", "tc": "iproute2", "ethtool": "ethtool", "unshare": "util-linux", "nsenter": "util-linux",
            "mpirun": "openmpi-bin", "sh": "dash"}
UNITS = {"": 1, "k": 1024, "m": 1024 ** 2, "g": 1024 ** 3}


class LabError(Exception):
    """An error message for the user.  status: 2 for bad input, 3 if this machine cannot run the lab, else 1."""

    def __init__(self, text, status=2):
        super().__init__(text)
        self.status = status


def end_on(*signals):
    """Makes these signals end the program by SystemExit, so that it cleans up.  A closed terminal may send several
    signals: after the first one all are ignored.  A signal that is already ignored, as under nohup, stays ignored."""
    def end(number, _):
        for other in (*signals, signal.SIGINT):
            signal.signal(other, signal.SIG_IGN)
        sys.exit(128 + number)
    for number in signals:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)


@contextmanager
def at(place):
    """Puts the place of bad input in front of its error message, and replaces characters that disturb a terminal."""
    try:
        yield
    except LabError as error:
        raise LabError(f"{place}: {re.sub('[^ -~]', '?', str(error))}", error.status) from None


def need(*commands):
    for command in commands:
        if not shutil.which(command):
            raise LabError(f"'{command}' was not found; install it (Debian: {PACKAGES[command]})", 3)


def call(command, text=None):
    """Runs a command with a text as its input, and returns its output."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).replace("\n", "; ")
        raise LabError(f"'{' '.join(command[:12])}' failed: {said[-600:]}", 1)
    return done.stdout


def read_rate(text):
    """Reads a rate, and returns bits per second."""
    match = re.fullmatch(r"([0-9]+)([kmg])bit", text.lower())
    rate = int(match[1]) * {"k": 10 ** 3, "m": 10 ** 6, "g": 10 ** 9}[match[2]] if match else 0
    if not 10 ** 6 <= rate <= 10 ** 10:
        raise LabError(f"--rate is '{text}', allowed is a rate from 1mbit to 10gbit, such as 100mbit")
    return rate


def read_size(text):
    """Reads a number, for example of bytes, that may have suffix k, m or g."""
    match = re.fullmatch(r"([0-9]+)([kmg]?)", text.lower())
    size = int(match[1]) * UNITS[match[2]] if match else 0
    if not 1 <= size <= 2 ** 30:
        raise LabError(f"'{text}' is not a number from 1 to 1g, with suffix k, m or g for powers of 1024")
    return size


def read_sizes(text):
    """Reads a list of numbers such as 8,64k, for argparse."""
    try:
        return [read_size(word) for word in text.split(",")]
    except LabError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def write_size(size):
    for suffix, unit in (("MiB", 1024 ** 2), ("KiB", 1024)):
        if size % unit == 0:
            return f"{size // unit} {suffix}"
    return f"{size} B"
