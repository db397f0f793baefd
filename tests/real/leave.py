#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The end of tracing while threads sleep where they cannot be stopped, and of programs that
kill themselves while they are traced."""
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
import ready  # noqa: E402
from attached import Attached, Gate, check_free, text_of, tracers  # noqa: E402

# every instruction of the calls that it sleeps in, so also the syscall itself
PROGRAM = ('PROVIDER$target:libc.so.6:vfork:, PROVIDER$target:libc.so.6:clone:, '
           'PROVIDER$target:libc.so.6:write:, PROVIDER$target:libc.so.6:__write:, '
           'PROVIDER$target:libc.so.6:poll:, PROVIDER$target:libc.so.6:waitpid:return, '
           'PROVIDER$target:a.out:work: { @ = count(); } '
           'tick-20ms /!ticks++/ { printf("on\\n"); }').replace('PROVIDER', harness.PROVIDER)


class Sleeper:
    """The program asleep, with dtrace attached until end()."""

    def __init__(self, how):
        self.process = subprocess.Popen([harness.target('asleep'), how], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.pid = self.process.pid
        self.hear('ready')
        self.before, self.maps = text_of(self.pid), self.mappings()
        self.dtrace = subprocess.Popen(
            [harness.DTRACE, '-q', '-x', 'switchrate=20ms', '-n', PROGRAM, '-p',
             str(self.pid)], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True)
        line = self.dtrace.stdout.readline()
        harness.check(line == 'on\n', 'dtrace says %s %s', line, self.dtrace.poll())
        self.tell()

    def hear(self, expected):
        line = self.process.stdout.readline()
        harness.check(line == expected + '\n', 'it says %r, status %s', line,
                      self.process.poll())

    def tell(self):
        self.process.stdin.write('x')
        self.process.stdin.flush()

    def mappings(self):
        """What is executable, and what is of memory files."""
        with open('/proc/%d/maps' % self.pid, encoding='utf-8') as maps:
            return [line for line in maps if 'x' in line.split()[1] or 'memfd' in line]

    def end_tracing(self):
        start = time.monotonic()
        self.dtrace.send_signal(signal.SIGINT)
        _, err = self.dtrace.communicate(timeout=20)
        took = time.monotonic() - start
        harness.check(self.dtrace.returncode == 0, 'dtrace: %d %s', self.dtrace.returncode, err)
        harness.check(took < 2, 'the end took %.2f s', took)

    def check_text(self):
        """As it was, whatever is mapped beside."""
        after = text_of(self.pid)
        changed = [line for line in self.before if self.before[line] != after.get(line)]
        harness.check(not changed, 'bytes differ in %s', changed)

    def is_as_before(self):
        return self.mappings() == self.maps

    def end(self):
        """It goes on, no one traces it, and it ends as it would have."""
        pid = self.pid
        self.tell()
        harness.until(lambda: self.process.poll() is not None, 10, 'the end of the program')
        harness.check(self.process.returncode == 7, 'it ended with %d', self.process.returncode)
        harness.until(lambda: not keepers(pid), 5, 'the end of the keeper')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for p in self.process, self.dtrace:
            if p.poll() is None:
                p.kill()
            p.wait()


def keepers(pid):
    """Who traces a thread of the process, which may have gone."""
    try:
        return tracers(pid)
    except OSError:
        return set()


def call_of(pid):
    """The system call that its main thread sleeps in."""
    with open('/proc/%d/syscall' % pid, encoding='utf-8') as f:
        return f.read()


def asleep(how):
    """Its memory is as it was at once, though one of its threads does not stop."""
    with Sleeper(how) as sleeper:
        sleeper.hear('asleep')
        # by vfork it has said that while its parent sleeps; beside clone the parent waits
        calls = [ready.VFORK] if how == 'vfork' else [ready.WAIT]
        harness.until(lambda: ready.waits(sleeper.pid, calls), 10, 'its call')
        sleeper.end_tracing()
        sleeper.check_text()
        harness.check(sleeper.is_as_before(), 'left behind: %s',
                      set(sleeper.mappings()) ^ set(sleeper.maps))
        sleeper.end()


def leave_copy(go_on):
    """A thread in a call that was moved and does not end; go_on(sleeper) ends it."""
    with Sleeper('page') as sleeper:
        line = sleeper.process.stdout.readline()
        if not line:
            harness.check(sleeper.process.wait(5) == 77, 'it died: %s',
                          sleeper.process.returncode)
            raise harness.Skipped('userfaultfd(2) is not permitted')
        harness.until(lambda: re.match('1 0x(?!1 )', call_of(sleeper.pid)), 10, 'its call')
        sleeper.end_tracing()
        sleeper.check_text()
        harness.check(not sleeper.is_as_before() and keepers(sleeper.pid),
                      'the memory that a thread sleeps in has gone')
        go_on(sleeper)
        sleeper.end()


def see_unmapped(sleeper):
    """The call has ended."""
    harness.until(lambda: sleeper.is_as_before() and not keepers(sleeper.pid), 5,
                  'no memory of ours: %s' % sleeper.mappings())


def in_copy():
    """The text is as it was at once, the moved call stays until it has ended, and goes with
    the keeper."""
    def go_on(sleeper):
        sleeper.tell()
        sleeper.hear('awake')
        see_unmapped(sleeper)
    leave_copy(go_on)


def in_slow_copy():
    """The same on a busy processor: each step that the thread makes for the keeper takes some
    time slices."""
    def go_on(sleeper):
        cpu = {min(os.sched_getaffinity(0))}
        for tid in map(int, os.listdir('/proc/%d/task' % sleeper.pid)):
            os.sched_setaffinity(tid, cpu)
            os.setpriority(os.PRIO_PROCESS, tid, 10)
        with subprocess.Popen(['sh', '-c', 'while :; do :; done']) as busy:
            try:
                os.sched_setaffinity(busy.pid, cpu)
                sleeper.tell()
                see_unmapped(sleeper)
            finally:
                busy.kill()
        sleeper.hear('awake')
    leave_copy(go_on)


def command():
    """A program that dtrace started itself lives on, though it sleeps when tracing ends."""
    program = ('%s$target:a.out:work:entry { @ = count(); } tick-100ms /++n == 3/ { exit(0); }' %
               harness.PROVIDER)
    result = subprocess.run([harness.DTRACE, '-n', program, '-c', harness.target('vdoze') + ' 1'],
                            capture_output=True, text=True, timeout=30, check=True)
    # read until the last one that may write has ended
    harness.check('1 thread sleeps in the kernel' in result.stderr and
                  'slept 1\n' in result.stdout, '%s', result)


RECORDS = ('PROVIDER$target:a.out:work:entry { @ = count(); printf("hit\\n"); } '
           'tick-20ms /!ticks++/ { printf("on\\n"); } '
           'END { printa("counted %@d\\n", @); }').replace('PROVIDER', harness.PROVIDER)
RUNS = [(1, 1), (200, 1), (40, 8), (3, 64)]


def check_records(out, turns, threads):
    expected = turns * threads
    harness.check('counted %d\n' % expected in out and out.count('hit\n') == expected,
                  '%d calls in %d threads, and the end of what it prints is\n%s', turns, threads,
                  out[-300:])


def killed_command():
    """All that a program did before it killed itself is there: it had just begun."""
    for turns, threads in RUNS * 3:
        result = harness.run([harness.DTRACE, '-q', '-n', RECORDS, '-c', '%s %d %d' % (
            harness.target('suicide'), turns, threads)])
        check_records(result.out, turns, threads)


def killed_attached():
    """The same of a program that was just attached to."""
    for turns, threads in RUNS * 3:
        with subprocess.Popen([harness.target('suicide'), str(turns), str(threads), 'wait'],
                              text=True, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as program:
            harness.check(program.stdout.readline() == 'ready\n', 'it is not ready')
            with subprocess.Popen([harness.DTRACE, '-q', '-x', 'switchrate=20ms', '-n', RECORDS,
                                   '-p', str(program.pid)], text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as dtrace:
                harness.check(dtrace.stdout.readline() == 'on\n', 'dtrace does not begin')
                program.stdin.write('x')
                program.stdin.flush()
                out = dtrace.communicate(timeout=30)[0]
        harness.check(program.returncode == -9, 'it ended with %d', program.returncode)
        check_records(out, turns, threads)


def amid_exec():
    """Attached to at any moment of a program that executes itself all the time."""
    program = ('PROVIDER$target:a.out::, PROVIDER$target:libc.so.6:*exec*: { @ = count(); } '
               'tick-20ms /++ticks == 3/ { exit(0); }').replace('PROVIDER', harness.PROVIDER)
    with subprocess.Popen([harness.target('reexec'), '1000000']) as p:
        try:
            for n in range(15):
                time.sleep(0.003 * n)  # another moment each time
                result = harness.run([harness.DTRACE, '-qZ', '-n', program, '-p', str(p.pid)])
                # some were looked up in a program that has gone, and some never can be
                other = [line for line in result.err.splitlines()
                         if not re.search('cannot trace|sites cannot be traced|cannot notice when', line)]
                harness.check(result.status == 0 and not other, '%s', result)
                harness.check(p.poll() is None, 'it ended: %s', p.returncode)
        finally:
            p.kill()


LINE = 'pid$target:a.out:work:gate.c@25 { @n = count(); @v = sum(locals.v); }'


def lines():
    """A line probe with a parameter, attached to; the text is there again at the end."""
    with Gate([harness.target('gate')]) as gate:
        for _ in range(2):
            with Attached([gate.pid], LINE, ['-q']) as traced:
                gate.work(200, 'changed')
                traced.end()
                counts = [int(n) for n in re.findall(r'^ +(\d+)$', traced.out, re.M)]
                harness.check(counts == [200, sum(range(200))], '%s', traced.out)
            gate.work(10, 'same')
        gate.end()


def lines_killed():
    """The same, and dtrace is killed amid it."""
    with Gate([harness.target('gate')]) as gate:
        before = text_of(gate.pid)
        with Attached([gate.pid], LINE, ['-q']) as traced:
            gate.work(200, 'changed')
            traced.process.kill()
            traced.process.communicate()
            harness.until(lambda: not tracers(gate.pid), 20, 'the keeper leaves')
            check_free(gate.pid, before)
            traced.out = ''
        gate.work(10, 'same')
        gate.end()


harness.main({'lines': lines, 'lines_killed': lines_killed,
              'in_vfork': lambda: asleep('vfork'), 'shared': lambda: asleep('clone'),
              'in_copy': in_copy, 'in_slow_copy': in_slow_copy,
              'command': command, 'killed_command': killed_command,
              'killed_attached': killed_attached, 'amid_exec': amid_exec})
