#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What dtrace says to a description that is nearly right, and how it finds processes by
their names. No message changes the exit status."""
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
import ready  # noqa: E402

NO_PROCESS = ("the number of a process is missing: in double quotes the shell replaces "
              "$target; write '%s$target:...' in single quotes")
NO_KERNEL = 'in user mode the kernel has no probes but proc::: and syscall:::'

# (description, the hint without the words "did you mean"; None: there is none)
OF_A_PROGRAM = (
    ('alpha', "'pid$target::alpha:entry'?"),
    ('alpah', "'pid$target::alpha:entry'?"),
    ('alpha:entry', "'pid$target::alpha:entry'?"),
    ('alpha:ret', "'pid$target::alpha:return'?"),
    ('a.out:alpha:entry', "'pid$target:a.out:alpha:entry'?"),
    ('libc:malloc:entry', "'pid$target:libc:malloc:entry'?"),
    ('pid$target::alpha:enrty', "'pid$target::alpha:entry'?"),
    ('fpid$target:a.out:alpha:ret', "'fpid$target:a.out:alpha:return'?"),
    ('pid$target:::alpha', "'pid$target::alpha:entry'?"),
    ('pid$target:alpha:entry', "'pid$target::alpha:entry'?"),
    ('pid$target:a.out:alpha', "'pid$target:a.out:alpha:entry'?"),
    ('pdi$target:a.out:alpha:entry', "'pid$target:a.out:alpha:entry'?"),
    ('syscall::opne:entry', "'syscall::open:entry'?"),
    ('syscall::open:enrty', "'syscall::open:entry'?"),
    ('syscall:open:entry', "'syscall::open:entry'?"),
    ('syscal::open:entry', "'syscall::open:entry'?"),
    ('proc:::exex', "'proc:::exec'?"),
    ('nothing_like_it', None),
    ('syscall::nothing_like_it:entry', None),
    ('pid$target:a.out:main:nothing_like_it', None),
)
OF_NO_PROGRAM = (
    ('pid::alpha:entry', NO_PROCESS % 'pid'),
    ('fpid:a.out:alpha:entry', NO_PROCESS % 'fpid'),
    ('begin', 'in D: BEGIN'),
    ('End', 'in D: END'),
    ('interval:s:1', 'in D: tick-1s'),
    ('interval:ms:100', 'in D: tick-100ms'),
    ('profile:hz:99', 'in D: profile-99'),
    ('uprobe:libc:malloc', "did you mean 'pid$target:libc:malloc:entry'?"),
    ('uretprobe:libc:malloc', "did you mean 'pid$target:libc:malloc:return'?"),
    ('tracepoint:syscalls:sys_enter_openat', "did you mean 'syscall::openat:entry'?"),
    ('tracepoint:syscalls:sys_exit_read', "did you mean 'syscall::read:return'?"),
    ('tracepoint:sched:sched_switch', NO_KERNEL),
    ('kprobe:vfs_read', NO_KERNEL),
    ('nosuch', None),
)


def expect(description, hint, options):
    """The error has exactly one line that begins with a tab, the hint, or none."""
    result = harness.run([harness.DTRACE, '-n', description, *options], timeout=30)
    hints = [line[1:] for line in result.err.splitlines() if line.startswith('\t')]
    harness.check(result.status == 1 and hints == ([hint] if hint else []),
                  '%s: expected the hint %s\n%s', description, hint, result)


def descriptions():
    program = harness.target('plain')
    for description, hint in OF_A_PROGRAM:
        expect(description, hint and 'did you mean ' + hint, ['-c', program])
    for description, hint in OF_NO_PROGRAM:
        expect(description, hint, [])
    result = harness.run([harness.DTRACE, '-ln', 'syscall::opne:entry'])
    harness.check(result.status == 1 and result.err.endswith(
        "No probe matches description\n\tdid you mean 'syscall::open:entry'?\n"), '-l\n%s', result)


def source_names():
    """A function of C++ by its last name, and by one that is nearly that."""
    for name in 'hidden_not', 'twise', 'find':
        result = harness.run([harness.DTRACE, '-n', 'pid$target:a.out:%s:entry' % name,
                              '-c', harness.target('named')], timeout=30)
        known = {'find': "'store::find'", 'twise': "'store::twice<"}.get(name)
        if known:
            harness.check(result.status == 1 and 'nearest names: ' in result.err
                          and known in result.err, '%s\n%s', name, result)


class Named:
    """Processes with a name of their own, while a with block lasts."""

    def __init__(self, folder, name, count):
        self.path = os.path.join(folder, name)
        shutil.copy(harness.target('idle'), self.path)
        self.count, self.processes = count, []

    def start(self):
        self.processes.append(subprocess.Popen([self.path], stdin=subprocess.DEVNULL,
                                               start_new_session=True))
        pid = self.processes[-1].pid
        harness.check(ready.wait_until(lambda: ready.waits(pid)), '%s does not wait', self.path)
        return pid

    def __enter__(self):
        self.pids = [self.start() for _ in range(self.count)]
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def by_name():
    """-p NAME: the one process; else a list, escaped, and status 1."""
    script = 'BEGIN { printf("%d", $target); exit(0); }'
    with tempfile.TemporaryDirectory() as folder, \
            Named(folder, 'named-once-only-and-long', 1) as one, \
            Named(folder, 'twi\x1bce', 2) as two:
        result = harness.run([harness.DTRACE, '-qp', 'named-once-only-and-long', '-n', script])
        harness.check(result.status == 0 and result.out.strip() == str(one.pids[0]),
                      'not %s\n%s', one.pids, result)
        result = harness.run([harness.DTRACE, '-qp', 'twi\x1bce', '-n', script])
        harness.check(result.status == 1 and result.out == '' and
                      all('\n\t%7d ' % pid in result.err for pid in two.pids) and
                      '\n\t2 processes have this name; -p takes a number\n' in result.err and
                      result.err.count('\x1b') == 1, 'no list of %s\n%s', two.pids, result)
        result = harness.run([harness.DTRACE, '-qp', 'once-only-an', '-n', script])
        harness.check(result.status == 1 and '\n\t%7d ' % one.pids[0] in result.err and
                      'no process has this name; similar ones are\n' in result.err,
                      'no similar names\n%s', result)


def await_name():
    """-W NAME: not a process that is there, but the next one; SIGINT ends the waiting."""
    with tempfile.TemporaryDirectory() as folder, Named(folder, 'await-me', 1) as named, \
            open(os.path.join(folder, 'err'), 'w+', encoding='utf-8') as err:
        for ends in False, True:
            dtrace = subprocess.Popen(
                [harness.DTRACE, '-W', 'await-me', '-n', 'BEGIN { exit(0); }'], text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=err)
            try:
                lines = 2 if ends else 1
                harness.until(lambda: harness.content(err).count('waiting for') == lines,
                              10, 'the notice')
                # it looks at what there is before it sleeps for the first time
                harness.until(lambda: ready.waits(dtrace.pid, ready.WAITS), 10, 'its sleep')
                if ends:
                    dtrace.send_signal(signal.SIGINT)
                    harness.check(dtrace.wait(20) == -signal.SIGINT, 'SIGINT did not end it')
                else:
                    named.start()
                    harness.check(dtrace.wait(20) == 0, 'failed\n%s', harness.content(err))
            finally:
                dtrace.kill()
                dtrace.communicate()


def on_a_terminal(options, program):
    """What dtrace writes to stderr if that is a terminal; of its own, not of the target."""
    master, slave = pty.openpty()
    try:
        result = subprocess.run([harness.DTRACE, *options, '-n', program],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=slave, timeout=30, check=False)
        harness.check(result.returncode == 0, '%s failed', program)
        os.set_blocking(master, False)
        try:
            return os.read(master, 65536).decode(errors='replace')
        except BlockingIOError:
            return ''
    finally:
        os.close(master)
        os.close(slave)


def loader():
    """On a terminal, a script of system calls says that it begins after the loader."""
    calls = 'syscall:::entry { @ = count(); }'
    start = ['-c', harness.target('once')]
    for options, program, is_said in (
            (start, calls, True), (start + ['-x', 'evaltime=exec'], calls, False),
            (start + ['-q'], calls, False), (start, 'BEGIN { }', False)):
        text = on_a_terminal(options, program)
        harness.check(('-x evaltime=exec traces them' in text) == is_said, '%s %s\n%s',
                      options, program, text)
    result = harness.run([harness.DTRACE, *start, '-n', calls])
    harness.check('evaltime' not in result.err, 'no terminal\n%s', result)


harness.main({'descriptions': descriptions, 'source_names': source_names, 'by_name': by_name,
              'await_name': await_name, 'loader': loader})
