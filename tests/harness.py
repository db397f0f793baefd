# SPDX-License-Identifier: MIT
"""What the Python tests that run the real tool share.

A test file fills a dict of cases, {name: function}, and calls main(cases): without
arguments every case runs, with --list their names are printed (CMake makes a ctest
entry of each), with a name that one runs. A case fails by raising Failure. One that
raises Skipped is shown as skipped, with the reason; the exit status is then 77.

DTRACE is the command under test, TARGETS the folder of built test programs.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import uuid

import left_out

DTRACE = os.environ.get('DTRACE', 'dtrace')
TARGETS = os.environ.get('TARGETS', '.')
# fpid: programs of the pid provider run with the other one (tests/pairs).
PROVIDER = os.environ.get('PROVIDER') or 'pid'
# Runs of dtrace know nothing of each other: it keeps no plans there.
os.environ['XDG_CACHE_HOME'] = '/dev/null'


class Failure(Exception):
    pass


class Skipped(Exception):
    """The case needs something that this machine does not have; says what."""


def check(condition, message, *values):
    if not condition:
        raise Failure(message % values if values else message)


def target(name):
    """The path of a test program (tests/targets)."""
    path = os.path.join(TARGETS, name)
    reason = left_out.target(TARGETS, name)
    if reason:
        raise Skipped(reason)
    check(os.path.exists(path), 'no test program %s', path)
    return path


def installed(name):
    """The path of a program that tests/programs.txt lists, or that Debian always has."""
    path = left_out.which(name)
    if not path:
        raise Skipped(left_out.reason(name))
    return path


def is_small():
    """Whether the build has limits that are met soon."""
    with open(os.path.join(os.environ['BUILD'], 'CMakeCache.txt'), encoding='utf-8') as cache:
        return re.search(r'^DTRACE_SMALL_LIMITS:BOOL=(ON|1)$', cache.read(), re.M) is not None


def content(file):
    """What is in a file that is still written to. Whoever inherited it shares our
    place in it: with seek() a line would be written over the first one."""
    size = os.fstat(file.fileno()).st_size
    return os.pread(file.fileno(), size, 0).decode(errors='replace')


class Result:
    """A finished run: exit status (negative: killed by that signal) and outputs."""

    def __init__(self, status, out, err, data=''):
        self.status, self.out, self.err, self.data = status, out, err, data

    def __str__(self):
        return 'status %s\nstdout:\n%s\nstderr:\n%s\ndata:\n%s' % (
            self.status, self.out[-3000:], self.err[-3000:], self.data[-3000:])


def marked(mark):
    """The live processes with that word in their environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open('/proc/%s/environ' % pid, 'rb') as f:
                if mark.encode() in f.read():
                    with open('/proc/%s/comm' % pid, encoding='utf-8') as name:
                        found.append('%s %s' % (pid, name.read().strip()))
        except OSError:
            pass  # gone, or not ours
    return found


def run(command, timeout=60, stdin=None, env=None, **kwargs):
    """Runs a command in a process group of its own, which alone is killed when late.
    Whatever it started must be gone soon after it."""
    mark = 'HARNESS=' + uuid.uuid4().hex
    with tempfile.TemporaryFile('w+', errors='replace') as out, \
            tempfile.TemporaryFile('w+', errors='replace') as err:
        with open(stdin or os.devnull, 'rb') as source:
            p = subprocess.Popen(command, stdin=source, stdout=out, stderr=err,
                                 start_new_session=True,
                                 env={**os.environ, 'LC_ALL': 'C', 'HARNESS': mark[8:],
                                      **(env or {})}, **kwargs)
        late = False
        try:
            p.wait(timeout)
        except subprocess.TimeoutExpired:
            late = True
            os.killpg(p.pid, signal.SIGKILL)
            p.wait()
        result = Result(p.returncode, content(out), content(err))
    check(not late, 'not done after %s s: %s\n%s', timeout, command, result)
    deadline = time.monotonic() + 3
    while marked(mark) and time.monotonic() < deadline:
        time.sleep(0.01)
    check(not marked(mark), 'left behind by %s: %s', command, marked(mark))
    return result


def traced(program, command, options=(), **kwargs):
    """Runs `dtrace -n PROGRAM -c COMMAND`; trace data goes to .data, the rest of the
    standard output is the target's own."""
    if PROVIDER == 'fpid':
        program = re.sub(r'(?<!\w)pid(?=\$)', 'fpid', program)
    with tempfile.TemporaryDirectory(prefix='traced-') as folder:
        data = os.path.join(folder, 'data')
        result = run([DTRACE, '-o', data, *options, '-n', program, '-c', command], **kwargs)
        if os.path.exists(data):
            with open(data, encoding='utf-8', errors='replace') as f:
                result.data = f.read()
    check(result.status == 0, 'dtrace failed: %s\n%s', program, result)
    faults = [line for line in result.err.splitlines()
              if not line.startswith('dtrace: cannot trace ')  # names may say anything
              and re.search(r'\bdrops?\b|error on enabled probe|processing aborted', line)]
    check(not faults, 'dtrace complains: %s', faults)
    return result


def target_status(result):
    """The target's exit status, from the notice; a signal by its name."""
    m = re.search(r'^dtrace: pid \d+ (?:has (exited)|exited with status (\d+)|'
                  r'terminated by (SIG\w+))$', result.err, re.M)
    check(m, 'no notice of how the target ended:\n%s', result)
    return m.group(3) or int(m.group(2) or 0)


def status_name(status):
    """The same for a program that ran by itself."""
    return signal.Signals(-status).name if status < 0 else status


def matched(result):
    m = re.search(r'matched (\d+) probes?$', result.err, re.M)
    check(m, 'no "matched" notice:\n%s', result)
    return int(m.group(1))


def counts(data):
    """{key: value} of a default aggregation listing with one string key."""
    return {m.group(1): int(m.group(2))
            for m in re.finditer(r'^  (\S.*?) +(-?\d+)$', data, re.M)}


def tagged(data, tag):
    """{key: value} of lines "TAG KEY VALUE" that a printa() format wrote."""
    return {m.group(1): int(m.group(2))
            for m in re.finditer(r'^%s (\S+) (-?\d+)$' % re.escape(tag), data, re.M)}


def truth(out):
    """What a test program says: calls and returns by name; returns equal calls where
    the program prints none."""
    calls = {m.group(1): int(m.group(2)) for m in re.finditer(r'^([\w.]+) (\d+)$', out, re.M)}
    returns = {m.group(1): int(m.group(2))
               for m in re.finditer(r'^return ([\w.]+) (\d+)$', out, re.M)}
    check(calls, 'the program printed no counts:\n%s', out)
    return calls, dict(calls, **returns)


def same_counts(expected, actual, what):
    wrong = ['%s: %d instead of %d' % (name, actual.get(name, 0), n)
             for name, n in sorted(expected.items()) if actual.get(name, 0) != n]
    check(not wrong, '%s:\n  %s', what, '\n  '.join(wrong))


def until(condition, seconds, what):
    """Waits for condition() to become true and returns how long it took. A pause of the
    whole machine, as virtual ones make, is not time that the program had: it counts for
    half a second at most."""
    waited, last = 0, time.monotonic()
    while not condition():
        check(waited < seconds, 'after %s s not yet: %s', seconds, what)
        time.sleep(0.002)
        now = time.monotonic()
        waited, last = waited + min(now - last, 0.5), now
    return waited


def main(cases):
    # a shell's background job ignores it, and so would all that is started here
    signal.signal(signal.SIGINT, signal.default_int_handler)
    names = sys.argv[1:]
    if names == ['--list']:
        print('\n'.join(cases))
        return
    failed = skipped = 0
    for name in names or cases:
        start = time.monotonic()
        try:
            note = cases[name]()
            print('ok   %s (%.1f s)%s' % (name, time.monotonic() - start,
                                          ': ' + note if note else ''))
        except Failure as failure:
            print('FAIL %s: %s' % (name, failure))
            failed += 1
        except Skipped as reason:
            print('SKIP %s: %s' % (name, reason))
            skipped += 1
        except Exception:  # pylint: disable=broad-except
            print('FAIL %s:\n%s' % (name, traceback.format_exc()))
            failed += 1
    sys.exit(1 if failed else left_out.STATUS if skipped else 0)
