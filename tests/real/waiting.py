#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bufpolicy=wait: with a buffer of a few records every record is there, once."""
import os
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402

WAIT = ('-x', 'bufpolicy=wait', '-b', '2k')
NAMES = 'pid$target:a.out::entry { printf("%s\\n", probefunc); }'


def lines(text):
    counted = {}
    for line in text.split('\n'):
        if line:
            counted[line] = counted.get(line, 0) + 1
    return counted


def every(name, options=()):
    """Each call of a program that counts them itself is a line."""
    result = harness.traced(NAMES, harness.target(name), ['-q', *WAIT, *options])
    calls, _ = harness.truth(result.out)
    harness.same_counts(calls, lines(result.data), 'lines')
    return '%d lines' % sum(calls.values())


def follow(command, n):
    """Children and what they execute: each waits for itself."""
    result = harness.traced('pid$target:plain:beta:entry { printf("%d %d\\n", pid, arg0); }',
                            command % {'plain': harness.target('plain')},
                            ['-qx', 'follow', '-Z', *WAIT], timeout=120)
    counted = lines(result.data)
    twice = [line for line, times in counted.items() if times > 1]
    harness.check(not twice, 'more than once: %s', twice[:9])
    harness.check(len(counted) == 500 * n, '%d records', len(counted))
    pids = {line.split()[0] for line in counted}
    harness.check(len(pids) == n, '%d processes', len(pids))


def named(options):
    """A line at the end says which process has waited, and how long; -q keeps it away."""
    result = harness.traced(NAMES, harness.target('plain'), [*options, *WAIT])
    m = re.search(r'^dtrace: pid (\d+) waited (\d+\.\d{3}) s for room in the trace buffer$',
                  result.err, re.M)
    if '-q' in options:
        harness.check(not m, 'it is said all the same:\n%s', result.err)
        return ''
    harness.check(m, 'no such line:\n%s', result.err)
    harness.check(float(m.group(2)) < 60, 'it waited longer than it ran: %s', m.group(0))
    return m.group(0)


def forms(form):
    """The same lines for other readers; no record is missing."""
    result = harness.traced('pid$target:a.out:alpha:entry { printf("%d", arg0); }',
                            harness.target('plain'), ['-qO', form, *WAIT])
    # a line of a table's header more
    n = len([line for line in result.data.split('\n') if 'alpha' in line or
             re.fullmatch(r'"?\d+"?', line)])
    harness.check(n >= 5950, '%d lines:\n%s', n, result.data[:500])


def speculated():
    """What is committed waits as what is recorded does."""
    result = harness.traced("""pid$target:a.out:alpha:entry { self->s = speculation();
        speculate(self->s); printf("%d\\n", arg0); }
        pid$target:a.out:alpha:return /self->s/ { commit(self->s); self->s = 0; }""",
                            harness.target('plain'), ['-qx', 'nspec=4', *WAIT])
    harness.check(sum(lines(result.data).values()) == 5950, '%d lines',
                  sum(lines(result.data).values()))


def ticks():
    """What fires in dtrace has room: it reads before the next one."""
    result = harness.run([harness.DTRACE, '-q', '-x', 'bufpolicy=wait', '-b', '200', '-n',
                          'tick-1ms /n < 300/ { printf("%d\\n", n++); } '
                          'tick-1ms /n >= 300/ { exit(0); }'])
    harness.check(result.status == 0 and not result.err, '%s', result)
    harness.check(result.out.split() == [str(i) for i in range(300)], '%s', result.out)


def no_reader():
    """Where nobody reads, a thread waits once, and what has no room then is a drop."""
    program = '%s$target:a.out:alpha:entry { printf("%%4096s\\n", probefunc); }' % harness.PROVIDER
    with tempfile.TemporaryDirectory(prefix='waiting-') as folder, \
            tempfile.TemporaryFile('w+') as out, tempfile.TemporaryFile('w+') as err:
        fifo = os.path.join(folder, 'fifo')
        os.mkfifo(fifo)
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        p = subprocess.Popen([harness.DTRACE, '-qo', fifo, '-n', program, *WAIT, '-x',
                              'bufwait=20ms', '-c', harness.target('plain')],
                             stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                             start_new_session=True)
        try:
            harness.until(lambda: 'alpha' in harness.content(out), 60, 'the end of the program')
            os.set_blocking(reader, True)
            with os.fdopen(reader, encoding='ascii') as f:
                text = f.read()
            p.wait(60)
        finally:
            if p.poll() is None:
                os.killpg(p.pid, signal.SIGKILL)
        said = harness.content(err)
        calls, _ = harness.truth(harness.content(out))
    got = len(re.findall(r'^ +\w+$', text, re.M))
    lost = sum(map(int, re.findall(r'(\d+) drops?', said)))
    harness.check(lost > 0, 'no drops:\n%s', said)
    harness.check(got + lost == calls['alpha'], '%d lines and %d drops of %d calls', got, lost,
                  calls['alpha'])
    return '%d lines, %d drops' % (got, lost)


def calls():
    """Threads wait in their stops at system calls."""
    result = harness.traced('syscall::write:return, syscall::read:return '
                            '{ printf("%s\\n", probefunc); }',
                            'dd if=/dev/zero of=/dev/null bs=1 count=500', ['-q', *WAIT])
    counted = lines(result.data)
    harness.check(counted.get('write', 0) >= 500 and counted.get('read', 0) >= 500, '%s',
                  counted)


harness.main({
    **{'every_' + name: lambda name=name: every(name)
       for name in ('plain', 'threads', 'alarm', 'forker', 'vforker', 'sigtrap')},
    'every_interpreted': lambda: every('threads', ['-x', 'native=off']),
    'every_overhead': lambda: every('threads', ['-x', 'overhead']),
    'every_sampled': lambda: every('threads', ['-n', 'profile-997 { @ = count(); }']),
    'shell': lambda: follow("/bin/sh -c '%(plain)s & %(plain)s; wait'", 2),
    'spawned': lambda: follow("/usr/bin/env /bin/sh -c '%(plain)s; exec %(plain)s'", 2),
    'named': lambda: named([]),
    'named_quiet': lambda: named(['-q']),
    'json': lambda: forms('json'),
    'csv': lambda: forms('csv'),
    'speculated': speculated,
    'ticks': ticks,
    'no_reader': no_reader,
    'calls': calls,
})
