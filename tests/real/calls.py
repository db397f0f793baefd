#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How many system calls the keeper makes for each hit of a breakpoint, and dtrace and the
keeper for sites: numbers that do not depend on the machine, and that only go down."""
import os
import re
import signal
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


# Calls that access memory or look whether it is there.
MEMORY = {'pread64', 'pwrite64', 'process_vm_readv', 'process_vm_writev'}
AT_MOST_A_PAGE = 2.6  # on each are about 30 sites; 2.47 to 2.51 were seen


def setting_up(provider, pid, function):
    """Accesses to memory by dtrace and the keeper, from start to end."""
    probes = '%s%d:libc.so.6:%s:' % (provider, pid, function)
    with tempfile.NamedTemporaryFile('r', prefix='strace-') as table:
        result = harness.run([harness.installed('strace'), '-f', '-c', '-o', table.name,
                              harness.DTRACE, '-q', '-n',
                              '%sentry,%sreturn { @ = count(); } ' % (probes, probes) +
                              # the sites are set after BEGIN
                              'tick-20ms /!ticks_of_test++/ { exit(0); }'])
        harness.check(result.status == 0, '%s', result)
        return sum(n for name, n in calls_of(table.read()).items() if name in MEMORY)


def code_pages(pid):
    with open('/proc/%d/maps' % pid, encoding='utf-8') as f:
        sizes = [int(hi, 16) - int(lo, 16) for lo, hi in
                 re.findall(r'^(\w+)-(\w+) r-xp .*/libc\.so\.6$', f.read(), re.M)]
    return sum(sizes) // 4096


def sites(provider):
    """They grow with the pages of the code, not with the sites in it."""
    os.environ['ASAN_OPTIONS'] = 'detect_leaks=0'  # it does not work under strace
    with Gate([harness.target('gate')]) as gate:
        one = setting_up(provider, gate.pid, 'qsort')
        every = setting_up(provider, gate.pid, '')
        pages = code_pages(gate.pid)
        gate.end()
    per_page = (every - one) / pages
    harness.check(per_page <= AT_MOST_A_PAGE,
                  '%d accesses for one function, %d for all on %d pages: %.2f a page, at most %.1f',
                  one, every, pages, per_page, AT_MOST_A_PAGE)
    return '%.2f accesses to memory a page of code' % per_page


def read_at_start(function):
    """(bytes that the keeper reads, pages of code), some turns after the program began."""
    probes = 'fpid$target:libc.so*:%s:' % function  # others may come, so it is watched
    dtrace = subprocess.Popen([harness.DTRACE, '-q', '-n',
                               '%sentry,%sreturn { @ = count(); } ' % (probes, probes) +
                               'tick-100ms { printf("%d\\n", $target); }', '-c', 'sleep 60'],
                              stdout=subprocess.PIPE, encoding='utf-8')
    pid = int(dtrace.stdout.readline())
    with open('/proc/%d/io' % keeper_of(pid), encoding='utf-8') as f:
        taken = int(re.search(r'^rchar: (\d+)', f.read(), re.M).group(1))
    pages = code_pages(pid)
    os.kill(pid, signal.SIGTERM)
    dtrace.communicate()
    return taken, pages


def started():
    """Code is read to set sites in it, and not again when the program begins to run."""
    one, pages = read_at_start('qsort')
    every, _ = read_at_start('')
    times = (every - one) / (pages * 4096)
    harness.check(times < 3, 'the code was read %.1f times', times)
    return 'the code was read %.1f times' % times


CASES = {name: lambda name=name: count(name) for name in PROGRAMS}
CASES.update({'sites_' + name: lambda name=name: sites(name) for name in ('pid', 'fpid')})
CASES['started'] = started

harness.main(CASES)
