#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What dtrace says to a description that is nearly right, and how it finds processes by
their names. No message changes the exit status."""
import os
import pty
import re
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
                      '\x1b' not in result.err and 'pid: twi\\033ce\n' in result.err, 'no list of %s\n%s', two.pids, result)
        result = harness.run([harness.DTRACE, '-qp', 'once-only-an', '-n', script])
        harness.check(result.status == 1 and '\n\t%7d ' % one.pids[0] in result.err and
                      'no process has this name; similar ones are\n' in result.err,
                      'no similar names\n%s', result)


def no_name():
    """Neither -p nor -W waits for a process without a name."""
    for switch in '-p', '-W':
        result = harness.run([harness.DTRACE, switch, '', '-n', 'BEGIN'])
        harness.check(result.status == 1 and result.err.startswith('dtrace: invalid pid: ') and
                      'waiting' not in result.err, '%s\n%s', switch, result)


def nothing():
    """-l without a probe: said, with status 1. -e without a program compiles libraries."""
    for arguments, status, text in (
            (['-e'], 0, ''),
            (['-en', 'BEGIN { }'], 0, ''),
            (['-en', 'nosuch::: { }'], 1, 'probe description nosuch::: does not match any probes'),
            (['-eZn', 'nosuch::: { }'], 0, ''),
            (['-ln', 'nosuch:::'], 1, 'failed to match nosuch:::: No probe matches description'),
            (['-ln', 'nosuch:::,BEGIN'], 0, 'failed to match nosuch:::')):
        result = harness.run([harness.DTRACE, *arguments])
        harness.check(result.status == status and text in result.err and
                      bool(text) == bool(result.err), '%s\n%s', arguments, result)


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


EACH_WINDOW = r'''
%s$target:a.out:calc:entry { n++; @ = count(); }
%s$target:a.out:calc:entry /n %% 5000 < 2/ { printf("%%d %%d\n", n, timestamp); }'''


def is_busy(text):
    """Whether some window of 5,000 events, as pid_rate.h counts them, took under a second."""
    times = {int(n): int(ns) for n, ns in re.findall(r'^(\d+) (\d+)$', text, re.M)}
    harness.check(len(times) >= 8, 'times\n%s', text)
    return any(ns - times[n - 4999] < 1e9 for n, ns in times.items() if n % 5000 == 0)


def busy():
    """Breakpoints that fire very often: on a terminal, one line says what to write for
    jumps. Never with -q, in a pipe, for fpid, or for a clause that no jump can run."""
    no_jump = 'pid$target:a.out:calc:entry { n++; @ = count(); @f = max(uregs[R_RIP] ? fds[0].fi_offset : 0); }'
    with tempfile.TemporaryDirectory() as folder:
        for number, (provider, options, can_jump) in enumerate((
                ('pid', [], True), ('pid', ['-q'], False), ('fpid', [], False))):
            data = os.path.join(folder, str(number))
            text = on_a_terminal(
                [*options, '-x', 'switchrate=10ms', '-o', data, '-c', harness.target('alarm')],
                EACH_WINDOW % (provider, provider))
            with open(data, encoding='utf-8') as f:
                printed = f.read()
            said = text.count("gives the same by jumps: 'fpid$target:a.out:calc:entry'\r\n")
            harness.check(said == (can_jump and is_busy(re.sub(r'^.*:entry ', '', printed,
                                                               flags=re.M))),
                          '%s %s: %d\n%s\n%s', provider, options, said, printed, text)
    text = on_a_terminal(['-c', harness.target('alarm')], no_jump)
    harness.check('by jumps' not in text, '%s\n%s', no_jump, text)
    result = harness.run([harness.DTRACE, '-c', harness.target('alarm'), '-n',
                          EACH_WINDOW % ('pid', 'pid')])
    harness.check('by jumps' not in result.err, 'no terminal\n%s', result)


# (target, program, what is printed after "no probe fired: "; None: nothing)
NEVER = (
    ('plain', 'pid$target:a.out:never:entry,fpid$target:a.out:never:return,'
              'syscall::reboot:*,pid$target:a.out:never:entry {}',
     'pid$target:plain:never:entry, fpid$target:plain:never:return, syscall::reboot:entry '
     'and 1 more'),
    ('plain', 'pid$target:a.out:never:entry, pid$target:a.out:alpha:entry {}', None),
    ('plain', 'fpid$target:a.out:alpha:entry /0/ {}', None),
    ('plain', 'syscall:::entry /0/ {}', None),
    ('plain', 'pid$target:a.out:never:entry {} BEGIN { exit(0); }', None),
    ('plain', 'BEGIN,END,tick-1h {}', None),
    ('forker', 'pid$target:a.out:only_child:entry {}',
     'pid$target:forker:only_child:entry\n\t20 child processes were not traced: '
     '-x follow traces children'),
    ('inlined', 'pid$target:a.out:spare:entry {}',
     "pid$target:inlined:spare:entry\n\t'spare' may have run as one of its 2 inlined copies"),
)


def never():
    """When no probe has fired: some of them, and why that may be; nothing with -q, and
    nothing if one has fired, whatever its predicate said."""
    said = 'dtrace: no probe fired: '
    for target, program, text in NEVER:
        result = harness.run([harness.DTRACE, '-n', program, '-c', harness.target(target)])
        harness.check(said + text + '\n' in result.err if text else said not in result.err,
                      '%s\n%s', program, result)
    result = harness.run([harness.DTRACE, '-qn', NEVER[0][1], '-c', harness.target('plain')])
    harness.check(result.err == '', '-q\n%s', result)
    with tempfile.TemporaryDirectory() as folder, Named(folder, 'past-main', 1) as named:
        result = harness.run([harness.DTRACE, '-p', str(named.pids[0]), '-n',
                              'pid$target:a.out:main:entry {} tick-10ms { exit(0); }'])
        harness.check(result.err.endswith(
            "%spid$target:past-main:main:entry\n\tprocess %d was past 'main' when dtrace came\n"
            % (said, named.pids[0])), '-p\n%s', result)


harness.main({'descriptions': descriptions, 'source_names': source_names, 'by_name': by_name,
              'no_name': no_name, 'nothing': nothing, 'await_name': await_name, 'loader': loader, 'busy': busy, 'never': never})
