#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fpid in processes that mind their address space (tests/targets/life/space.c).

They lock all of their memory, or limit their addresses, before or after dtrace attaches.
What is ours grows as it is needed, so all is traced by jumps, and nothing is lost.
"""
import os
import re
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402

CALLS = 144000
SUM = CALLS * (CALLS - 1) // 2
MOST = 400  # MB of addresses: the program's own, threads, and all keys
# Each value is a key of its own: megabytes for each thread. Some of the values are records.
CLAUSES = ('fpid$target:a.out:work:entry { @n["calls"] = sum(1); @n["sum"] = sum(arg0); '
           '@keys[arg0] = count(); } '
           'fpid$target:a.out:work:entry /arg0 % 16 == 0/ { @n["printed"] = sum(1); '
           'printf("value %d\\n", arg0); } '
           'diag:::site { printf("site %s\\n", args[1]); } '
           'END { trunc(@keys, 3); printa("key %d %@d\\n", @keys); '
           'printa("%s %@d\\n", @n); } '
           'tick-50ms { system("rm -f FILE"); }')


def traced(what, before=None):
    """The program with dtrace attached to it: what both printed."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'file')
        with subprocess.Popen([harness.target('space'), what, path],
                              stdout=subprocess.PIPE, text=True, preexec_fn=before) as p:
            harness.until(lambda: os.path.exists(path), 20, 'it begins')
            try:
                result = harness.run([
                    harness.DTRACE, '-wqp', str(p.pid), '-x', 'aggsize=64m', '-x',
                    'bufsize=16m', '-n', CLAUSES.replace('FILE', path)])
                harness.check(result.status == 0, '%s: %s', what, result)
                out = p.communicate()[0]
            finally:
                p.kill()
                p.wait()
    harness.check(p.returncode == 0, '%s: it ended with %s: %s', what, p.returncode, result)
    return result, harness.truth(out)[0]


def check_complete(what, result, own, most=MOST):
    said = dict(line.rsplit(' ', 1) for line in result.out.splitlines()
                if re.match('(calls|sum|printed) ', line))
    values = re.findall('^value ([0-9]+)$', result.out, re.M)
    harness.check('drop' not in result.err, '%s: %s', what, result.err)
    harness.check(said == {'calls': str(CALLS), 'sum': str(SUM),
                           'printed': str(CALLS // 16)}, '%s: %s', what, said)
    harness.check(sorted(map(int, values)) == list(range(0, CALLS, 16)),
                  '%s: %d values', what, len(values))
    harness.check(re.findall('^key [0-9]+ ([0-9]+)$', result.out, re.M) == ['1'] * 3,
                  '%s: keys: %s', what, result.out[-300:])
    harness.check(re.findall('^site .*$', result.out, re.M) == ['site jump'],
                  '%s: %s', what, re.findall('^site .*$', result.out, re.M))
    harness.check(own['calls'] == CALLS and own['signals'] == 24, '%s: %s', what, own)
    if not harness.is_small():
        harness.check(own['size'] < most, '%s: its addresses are %d MB', what, own['size'])


def grows():
    """No more addresses than are needed, also for many keys, records and threads."""
    check_complete('nothing', *traced('nothing'))
    # what it maps by itself does not get in the way
    check_complete('fills', *traced('fills'), MOST + (64 << 10))


def locked():
    """mlockall(2), before and afterwards: what there is, is in memory."""
    for what in ('locked', 'locks'):
        result, own = traced(what)
        check_complete(what, result, own)
        harness.check(own['locked'] > 16, '%s: locked %d MB', what, own['locked'])


def limited():
    """A limit of addresses that was there, and one that comes later."""
    if harness.is_small():
        raise harness.Skipped('the sanitizers reserve more addresses than any limit has')
    check_complete('limits', *traced('limits'))
    n = 1000000 << 10
    check_complete('limited', *traced('nothing', before=lambda: resource.setrlimit(
        resource.RLIMIT_AS, (n, n))))


def trap_blocked():
    """Threads that block SIGTRAP stop for memory; what they raise later is their own."""
    check_complete('blocks', *traced('blocks'))


def nowhere_to_grow():
    """The program maps something behind all that is ours: drops, and it goes on."""
    result, own = traced('takes')
    harness.check(own['calls'] == CALLS, '%s', own)
    harness.check(re.search('drop', result.err), 'no drops: %s', result)


harness.main({'grows': grows, 'locked': locked, 'limited': limited,
              'trap_blocked': trap_blocked, 'nowhere_to_grow': nowhere_to_grow})
