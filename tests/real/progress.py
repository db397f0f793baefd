#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How far preparing is, on a terminal: what is drawn and erased, where nothing is, and how
an interrupt ends preparing in each of its steps."""
import os
import pty
import re
import select
import signal
import sys
import tempfile
import termios
import time
import struct
import fcntl

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
import ready  # noqa: E402

ERASURE = '\r\x1b[K'
AT_ONCE = ['-x', 'progress=1ns']  # drawn at every step
SITES = '%s$target:a.out::entry, %s$target:a.out::return { @ = count(); } END { printf("end\\n"); }'
COLUMNS = 60
PYTHON = os.path.realpath(sys.executable)  # it has thousands of functions


class Terminal:
    """dtrace in the foreground of a terminal of its own."""

    def __init__(self, *arguments, term='xterm', size=(24, COLUMNS), is_behind=False):
        """is_behind: it is in the background."""
        self.text = ''
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', *size, 0, 0))
            child = os.fork() if is_behind else 0
            if child:
                os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            if is_behind:
                os.setpgid(0, 0)
            os.environ['TERM'] = term
            os.environ['LC_ALL'] = 'C'
            os.execv(harness.DTRACE, [harness.DTRACE, *arguments])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)

    def read(self, pattern=None):
        """Reads until the text has the pattern; without one, or if it never has, to the end.
        Whether it has it."""
        deadline = time.monotonic() + 60
        seen = 0
        while not (pattern and re.search(pattern, self.text[seen:])):
            left = deadline - time.monotonic()
            harness.check(left > 0, 'no end, no %s:\n%r', pattern, self.text[-2000:])
            if not select.select([self.fd], [], [], left)[0]:
                continue
            try:
                data = os.read(self.fd, 65536)
            except OSError:  # the end of a terminal
                data = b''
            if not data:
                return False
            seen = max(0, len(self.text) - 2 * COLUMNS)
            self.text += data.decode(errors='replace')
        return True

    def interrupt(self):
        os.write(self.fd, b'\x03')

    def end(self):
        """Reads the rest. The status as of subprocess, negative for a signal."""
        self.read()
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        return os.waitstatus_to_exitcode(status)

    def drawn(self):
        """The lines that were drawn, and what is left on the screen."""
        parts = self.text.split(ERASURE)
        lines = [part for part in parts[1:] if re.match('(reading|finding|planning|setting) ', part)]
        return lines, ''.join(part for part in parts if part not in lines)


def steps():
    """Every step is drawn, no wider than the terminal, and erased; the rest is as without."""
    program = SITES % ('fpid', 'fpid')
    with Terminal(*AT_ONCE, '-n', program, '-c', harness.target('plain')) as t:
        harness.check(t.end() == 0, 'status\n%s', t.text)
        lines, rest = t.drawn()
    for step in (r'reading symbols \(plain\)', r'finding sites: \d[\d,]* \(plain\)',
                 r'reading code \(plain\)', r'planning sites: \d+ of \d+ \(plain\)',
                 r'setting sites: \d+ of \d+'):
        harness.check(any(re.fullmatch(step, line) for line in lines), 'no %s in\n%s', step,
                      lines[:50])
    harness.check(max(map(len, lines)) < COLUMNS, 'wide: %s', lines)
    with Terminal('-n', program, '-x', 'progress=1h', '-c', harness.target('plain')) as t:
        harness.check(t.end() == 0 and t.drawn()[0] == [], 'drawn early\n%r', t.text)
        silent = t.text
    both = [re.sub(r'\d+', '#', text) for text in (rest, silent)]
    harness.check(both[0] == both[1], '%s\n--\n%s', *both)
    with Terminal(*AT_ONCE, '-n', program, '-c', harness.target('plain'), size=(24, 20)) as t:
        harness.check(t.end() == 0, 'status\n%s', t.text)
        lines, _ = t.drawn()
        harness.check(lines and max(map(len, lines)) == 19, 'of 20 columns: %s', lines[:5])


def nowhere():
    """Nothing is drawn in a pipe or file, on a dumb terminal, or in the background."""
    arguments = [*AT_ONCE, '-n', SITES % ('pid', 'pid'), '-c', harness.target('plain')]
    result = harness.run([harness.DTRACE, *arguments])
    harness.check(result.status == 0 and '\x1b' not in result.err + result.out, '%s', result)
    with Terminal(*arguments, term='dumb') as t:
        harness.check(t.end() == 0 and t.drawn()[0] == [], 'dumb\n%r', t.text)
    with Terminal(*arguments, is_behind=True) as t:
        harness.check(t.end() == 0 and t.drawn()[0] == [] and 'matched' in t.text,
                      'background\n%r', t.text)


def hostile_name():
    """A file whose name would move the cursor is shown without that."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'e\x1b[2J\nvil')
        os.symlink(harness.target('plain'), path)
        with open(harness.target('plain'), 'rb') as source, open(path + '2', 'wb') as copy:
            copy.write(source.read())
        os.chmod(path + '2', 0o755)
        with Terminal(*AT_ONCE, '-qn', SITES % ('fpid', 'fpid'), '--', path + '2') as t:
            harness.check(t.end() == 0, 'status\n%s', t.text)
            lines, rest = t.drawn()
        harness.check('reading code (e?[2J?vil2)' in lines and '\x1b' not in rest + ''.join(lines),
                      '%r', t.text)


def interrupted_at(provider, step):
    """(status, rest, last line, text, children) of a run with an interrupt at the step; None:
    the step was over before it could be drawn, which takes milliseconds."""
    program = '%s$target:::entry { @ = count(); } END { printf("%%s\\n", "the end"); }' % provider
    # breakpoints are set within milliseconds: that is drawn at once
    options = AT_ONCE if step.startswith('setting') else ['-x', 'progress=5ms']
    with Terminal(*options, '-qn', program, '--', PYTHON, '--version') as t:
        if not t.read(re.escape(ERASURE) + step):
            return None
        with open('/proc/%d/task/%d/children' % (t.pid, t.pid), encoding='utf-8') as f:
            children = [int(pid) for pid in f.read().split()]
        t.interrupt()
        status = t.end()
        lines, rest = t.drawn()
        return status, rest, lines[-1], t.text, children


def interrupts():
    """An interrupt ends preparing in every step. While programs are compiled it ends dtrace
    as it ends any program; later it ends tracing: END runs. The program is untraced, and
    ends by the same interrupt; the line is erased."""
    for provider, step, ends in (
            ('pid', r'finding sites: \d', False), ('fpid', r'reading code', True),
            ('fpid', r'planning sites: \d*[1-9]', True),
            ('fpid', r'setting sites: [\d,]+ of \d+,', True),
            ('pid', r'setting sites: [\d,]+ of \d+,', True)):
        run = next(filter(None, (interrupted_at(provider, step) for _ in range(10))), None)
        harness.check(run, '%s, %s: never drawn', provider, step)
        status, rest, last, text, children = run
        # it may have come a step later
        harness.check(status == 0 and '\nthe end\r\n' in rest or
                      status == -signal.SIGINT and not ends and 'end' not in rest,
                      '%s: status %d\n%r', step, status, text[-500:])
        harness.check(text.rindex(ERASURE) > text.rindex(last.rstrip()[:-2]),
                      '%s: not erased\n%r', step, text[-500:])
        for pid in children:
            harness.check(ready.wait_until(lambda pid=pid: not os.path.exists('/proc/%d' % pid), 10),
                          '%s: process %d is left', step, pid)


harness.main({'steps': steps, 'nowhere': nowhere, 'hostile_name': hostile_name,
              'interrupts': interrupts})
