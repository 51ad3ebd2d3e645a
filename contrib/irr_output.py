"""irr_output.py - output files of the scripts, as tools/cli_output.h has them for the programs.

A script writes to FILE.part, and renames this file to FILE when it is complete. If the script fails, FILE keeps its
earlier contents. A script writes directly to anything else than a regular file, such as a pipe, a device or
/dev/stdout, and to a file in a folder in which it may not create files.
"""
import contextlib
import os
import stat
import sys

SUFFIX = ".part"
DESCRIPTORS = "/dev/std", "/dev/fd/", "/proc/"      # names of open files


class OutputError(Exception):
    """An output that cannot be opened (status 2) or written (status 1). The text names the file as the user does."""

    def __init__(self, name, error, status):
        super().__init__(f"{name}: {error.strerror or error}")
        self.status = status


def target_of(name):
    """Returns the file to replace: the regular file behind a link, or a new file. None: the name is another thing, or
    this user may not write to it."""
    if not name or name.startswith(DESCRIPTORS):
        return None
    if not os.path.lexists(name):
        return name
    try:
        regular = stat.S_ISREG(os.stat(name).st_mode)
    except OSError:
        return None
    return os.path.realpath(name) if regular and os.access(name, os.W_OK) else None


def open_part(target):
    """Returns the open file beside the target, with the mode of the target. None: it cannot be created."""
    part = target + SUFFIX
    try:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)     # of a run that was killed
        file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        with contextlib.suppress(OSError):
            os.fchmod(file, stat.S_IMODE(os.stat(target).st_mode))
        return file
    except OSError:
        return None


def open_output(name):
    """Returns a descriptor, and the target if the descriptor is of the file beside it."""
    if name in (None, "-"):
        sys.stdout.flush()
        return 1, None
    target = target_of(name)
    file = open_part(target) if target else None
    if file is not None:
        return file, target
    try:
        # Without O_NONBLOCK, open would wait for the reader of a pipe.
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK | os.O_NOCTTY, 0o666)
        os.set_blocking(file, True)
    except OSError as error:
        raise OutputError(name, error, 2) from error
    return file, None


@contextlib.contextmanager
def writing(name, newline=None):
    """Yields the stream of an output; stdout if the name is None or "-". The block writes the output as a whole: if it
    raises an exception, the file keeps its contents. Raises OutputError."""
    file, target = open_output(name)
    try:
        # Python's own stdout ignores that a write was short if PYTHONUNBUFFERED is set.
        with open(file, "w", encoding="utf-8", newline=newline, closefd=file != 1) as stream:
            yield stream
        if target:
            os.rename(target + SUFFIX, target)
    except BaseException as error:
        if target:
            with contextlib.suppress(OSError):
                os.unlink(target + SUFFIX)
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise OutputError("stdout" if name in (None, "-") else name, error, 1) from error
        raise
