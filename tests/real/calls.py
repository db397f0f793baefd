#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How many system calls the keeper makes for each hit of a breakpoint: a number that does
not depend on the machine, and that only goes down."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
from attached import Attached, Gate  # noqa: E402

HITS = 10000
# Wait for the stop, fetch registers, set the pc, go on; and three for the thread to go on
# where it is woken soonest. A ret pops, which is one read more. A stack is two: one looks
# whether the page is there, for a page that is served by another process may never come.
AT_MOST = {'entry': 7.05, 'argument': 7.05, 'stack': 9.05, 'return': 8.05}
PROGRAMS = {
    'entry': 'pid$target:a.out:work:entry { @ = count(); }',
    'argument': 'pid$target:a.out:work:entry /arg0 >= 0/ { @[probefunc] = sum(arg0); }',
    'stack': 'pid$target:a.out:work:entry { @[ustack()] = count(); }',
    'return': 'pid$target:a.out:work:return { @ = max(arg1); }',
}


def keeper_of(pid):
    """The keeper is the only one who traces the process."""
    with open('/proc/%d/status' % pid, encoding='utf-8') as f:
        return int(re.search(r'^TracerPid:\t(\d+)', f.read(), re.M).group(1))


def calls_of(table):
    """{system call: calls} of a summary by strace -c."""
    return {m.group(2): int(m.group(1))
            for m in re.finditer(r'^ *[\d.]+ +[\d.]+ +\d+ +(\d+)(?: +\d+)? +(\w+)$', table, re.M)
            if m.group(2) != 'total'}


def count(what):
    strace = harness.installed('strace')
    with tempfile.NamedTemporaryFile('r', prefix='strace-') as table, \
            Gate([harness.target('gate')]) as gate, \
            Attached([gate.pid], PROGRAMS[what]) as tracer:
        watch = subprocess.Popen([strace, '-f', '-c', '-o', table.name, '-p',
                                  str(keeper_of(gate.pid))], stderr=subprocess.PIPE, text=True)
        try:
            line = watch.stderr.readline()
            harness.check('attached' in line, 'strace says %s', line)
            gate.work(HITS, 'changed')
        finally:
            watch.send_signal(2)
            watch.wait(20)
            watch.stderr.close()
        calls = calls_of(table.read())
        gate.end()
        tracer.end()
    per_hit = sum(calls.values()) / HITS
    most = ', '.join('%s %.2f' % (name, n / HITS) for name, n in
                     sorted(calls.items(), key=lambda c: -c[1]) if n * 100 > HITS)
    harness.check(calls, 'strace counted nothing')
    harness.check(per_hit <= AT_MOST[what], '%.2f system calls a hit, at most %.2f: %s',
                  per_hit, AT_MOST[what], most)
    return '%.2f system calls a hit (%s)' % (per_hit, most)


CASES = {name: lambda name=name: count(name) for name in PROGRAMS}

harness.main(CASES)
