#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program moves its code, drops it, or writes it anew, with probes in it: it goes on as
it would without them, and what it has made of the code stays as it is."""
import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
from attached import start_tracing, tracers  # noqa: E402

# How, and the calls counted at least and at most: of 3 before and so many after it. What
# is as before in another place has probes again, and what has changed is lost.
WAYS = {'move': (6, 6), 'back': (9, 9), 'grow': (6, 6), 'over': (3, 6), 'gone': (3, 3),
        'rewrite': (3, 3), 'same': (3, 6), 'fork': (6, 6), 'pieces': (3, 30), 'fill': (3, 3),
        'raw': (6, 6), 'crowd': (3, 15), 'trap': (3, 3)}
# Those after which a line says that the probes are gone.
CHANGED = ('over', 'gone', 'rewrite', 'same', 'pieces', 'fill', 'trap')
SAID = re.compile(r"^dtrace: pid \d+: the code of '(\w+)' has changed: its probes are gone$", re.M)
EVERY = 'pid$target:a.out:moving: { @[probename] = count(); } '
WATCHED = 'pid$target:mov*:moving: { @[probename] = count(); } '


def check_said(how, err):
    """Once, for the function, if it has changed."""
    said = SAID.findall(err)
    harness.check(said == (['moving'] if how in CHANGED else []) and
                  'failed to create' not in err, '%s: %s\n%s', how, said, err)


def check_counts(how, counts, result):
    least, most = WAYS[how]
    harness.check('entry' in counts and 'return' in counts and
                  all(least <= n <= most for n in counts.values()), '%s: %s\n%s', how, counts,
                  result)


def started():
    """From a start to the end, each instruction a site: no call is lost where that is said."""
    for how in WAYS:
        result = harness.traced(EVERY, '%s %s' % (harness.target('moving'), how))
        harness.check(result.out.endswith(how + ' done\n'), '%s: %s', how, result)
        check_counts(how, harness.counts(result.data), result)
        check_said(how, result.err)


def watched():
    """The same where more code may match, so that mappings are looked at now and then."""
    for how in WAYS:
        result = harness.traced(WATCHED, '%s %s' % (harness.target('moving'), how))
        harness.check(result.out.endswith(how + ' done\n'), '%s: %s', how, result)


class Waiting:
    """The program, which waits before it does it, and afterwards."""

    def __init__(self, how):
        self.how = how
        self.process = subprocess.Popen([harness.target('moving'), how, '3', 'wait'],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        encoding='utf-8')
        self.pid = self.process.pid
        self.expect('begin')

    def expect(self, word):
        line = self.process.stdout.readline().strip()
        harness.check(line == word, '%s: %s, not %s', self.how, line, word)

    def go_on(self):
        self.process.stdin.write('\n')
        self.process.stdin.flush()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                out, _ = self.process.communicate('\n', timeout=60)
                harness.check(self.process.returncode == 0 and
                              out == 'same bytes\n%s done\n' % self.how, '%s: %s %s',
                              self.how, self.process.returncode, out)
        finally:
            self.process.kill()
            self.process.communicate()


class Tracing:
    """dtrace -p, which has set its sites."""

    def __init__(self, pid, script=EVERY):
        self.process = start_tracing(pid, script)

    def end(self, how):
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=60)
        harness.check(self.process.returncode == 0, '%s: %s', how, err)
        return out, err

    def die(self, pid):
        """With its keeper, at once."""
        children = '/proc/%d/task/%d/children' % (self.process.pid, self.process.pid)
        with open(children, encoding='utf-8') as f:
            keeper = int(f.read().split()[0])
        os.kill(keeper, signal.SIGKILL)
        self.process.communicate(timeout=60)
        harness.until(lambda: not tracers(pid), 20, 'nobody traces it')


def attached():
    """dtrace ends before the program does: its code is what it has made of it."""
    for how in WAYS:
        with Waiting(how) as target:
            tracing = Tracing(target.pid)
            target.go_on()
            target.expect('ready')
            out, err = tracing.end(how)
            check_counts(how, harness.counts(out), out + err)
            check_said(how, err)


def padded():
    """Where lost code was there is other code, with a trap of its own, when that moves."""
    with Waiting('padded') as target:
        tracing = Tracing(target.pid, WATCHED)
        target.go_on()
        target.expect('ready')
        tracing.end('padded')


def killed():
    """The keeper is killed, and what is left of it in moved code is taken out as well."""
    for how in ('move', 'back', 'rewrite'):
        with Waiting(how) as target:
            tracing = Tracing(target.pid)
            target.go_on()
            target.expect('ready')
            tracing.die(target.pid)


# Only operands are written, and not the bytes that a breakpoint takes. What a C library
# does not do is not seen at once, and jumps over it would lead elsewhere.
PATCHED = ('protect', 'writable', 'early', 'same')
UNSEEN = ('raw', 'memory')
OPERANDS = ('pid$target:a.out:value:entry, pid$target:a.out:caller:entry '
            '{ @[probefunc] = count(); }')


def patched(how, end=''):
    """Its result, of which the program's own checks are good."""
    result = harness.traced(OPERANDS, '%s %s %s' % (harness.target('patched'), how, end),
                            options=('-x', 'evaltime=main'))
    calls = 6 if how == 'same' else 3
    harness.check(how + ' done\n' in result.out and
                  harness.counts(result.data) == {'value': calls, 'caller': calls}, '%s: %s',
                  how, result)
    return result


def operands():
    """The program runs with the operands that it has written, which end the probes."""
    is_jumped = harness.PROVIDER == 'fpid'
    for how in PATCHED + (() if is_jumped else UNSEEN):
        err = patched(how).err
        harness.check(SAID.findall(err) == ([] if how == 'same' else ['value', 'caller']),
                      '%s: %s', how, err)
        said = 'it can write to its code: breakpoints serve its probes there' in err
        harness.check(said == (is_jumped and how != 'early'), '%s: %s', how, err)
        if how == 'early' and is_jumped:
            harness.check('`value: the process can write to its code' in err or
                          '`caller: the process can write to its code' in err, '%s', err)


def ends():
    """However the process ends, it is said; not of one that executes another program."""
    for end in ('exit', 'kill', 'exec'):
        err = patched('writable', end).err
        harness.check(SAID.findall(err) == ([] if end == 'exec' else ['value', 'caller']),
                      '%s: %s', end, err)


def often():
    """Memory that has no code is moved very often: that is let be soon, without a word."""
    result = harness.traced(EVERY, harness.target('moving') + ' data')
    stops = int(re.search(r'^stops (\d+)$', result.out, re.M).group(1))
    harness.check(stops < 2000 and 'data done' in result.out and
                  'so often' not in result.err, '%d stops\n%s', stops, result)


if __name__ == '__main__':
    harness.main({'started': started, 'watched': watched, 'attached': attached,
                  'padded': padded, 'killed': killed, 'operands': operands, 'ends': ends,
                  'often': often})
