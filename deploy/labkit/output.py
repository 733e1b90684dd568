"""Standard output: whether what a program has printed was also written. core/output.hpp is the same
for the programs in C++."""

import os
import signal
import sys

NOT_WRITTEN = 74  # EX_IOERR of sysexits.h, kExitNotWritten of core/output.hpp


class NotWritten(Exception):
    """Standard output could not be written. No OSError, which would pass for one of a file."""

    def __init__(self, error):
        super().__init__(error.strerror)
        self.reader_left = isinstance(error, BrokenPipeError)


class Written:
    """A text stream whose write() and flush() raise NotWritten."""

    def __init__(self, stream):
        self._stream = stream

    def __getattr__(self, name):
        return getattr(self._stream, name)

    def write(self, text):
        return self._checked(self._stream.write, text)

    def flush(self):
        return self._checked(self._stream.flush)

    @staticmethod
    def _checked(call, *arguments):
        try:
            return call(*arguments)
        except OSError as error:
            raise NotWritten(error) from error


def written(program, main, *arguments):
    """Runs main() and returns its exit code; NOT_WRITTEN, with a line on standard error, when its
    output could not be written. If the reader of a pipe has left, the process ends by SIGPIPE,
    without a word, as other programs do."""
    stream = sys.stdout
    sys.stdout = Written(stream)
    try:
        code = main(*arguments)
        sys.stdout.flush()
        return code
    except SystemExit as end:  # --help, wrong options
        try:
            sys.stdout.flush()
        except NotWritten as error:
            return not_written(program, error)
        return end.code
    except NotWritten as error:
        return not_written(program, error)
    finally:
        sys.stdout = stream


def not_written(program, error):
    # Otherwise the interpreter tries again at its end, and reports in its own words.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())
    if error.reader_left:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)
    print(f"{program}: standard output cannot be written: {error}; exit code {NOT_WRITTEN}",
          file=sys.stderr)
    return NOT_WRITTEN
