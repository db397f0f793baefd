#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""-E: recordings that perf reads, and that the same programs replay."""
import collections
import functools
import os
import random
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
import tracefs  # noqa: E402

def folder():
    return tempfile.TemporaryDirectory(prefix='dtrace-recording.')


def record(path, program, command, options=('-q',)):
    return harness.run([harness.DTRACE, *options, '-E', path, '-n', program, '-c', command])


def perf(*words):
    tool = shutil.which('perf')
    if not tool:
        raise harness.Skipped('no perf: apt-get install linux-perf')
    return harness.run([tool, *words])


def script(path):
    done = perf('script', '-i', path)
    harness.check(done.status == 0, 'perf script: %s', done)
    return done.out


def perf_script():
    """perf shows each call as an event of its own, with the stack by name."""
    with folder() as place:
        path = os.path.join(place, 'data')
        done = record(path, 'fpid$target:a.out:alpha:entry,fpid$target:a.out:beta:entry'
                            '{ ustack(3); }', harness.target('plain'))
        harness.check(done.status == 0, 'the recording: %s', done)
        calls, _ = harness.truth(done.out)
        text = script(path)
        for name in ('alpha', 'beta'):
            seen = re.findall(r'^plain +\d+ .*fpid:entry: plain`%s \(0x' % name, text, re.M)
            harness.check(len(seen) == calls[name], '%s: %d of %d calls in\n%s', name, len(seen),
                          calls[name], text)
        harness.check(re.search(r'fpid:entry: plain`alpha.*\n.* alpha$\n.* beta$', text, re.M),
                      'no stack by name in\n%s', text)
        header = perf('report', '--header-only', '-i', path)
        harness.check('arch : x86_64' in header.out, 'the header: %s', header)


def returns():
    """A return has its own fields; what no tracepoint was made for is there as well."""
    with folder() as place:
        path = os.path.join(place, 'data')
        done = record(path, 'fpid$target:a.out:beta:return { } syscall::exit_group:entry { }',
                      harness.target('plain'))
        calls, _ = harness.truth(done.out)
        text = script(path)
        harness.check(len(re.findall(r'fpid:return: plain`beta \(', text)) == calls['beta'],
                      'returns of beta:\n%s', text)
        harness.check('syscall:entry: ' in text and 'exit_group (0x3,' in text,
                      'the call of exit_group(3):\n%s', text)


def forks():
    """Each child of a followed process is said to be one, before its events."""
    with folder() as place:
        path = os.path.join(place, 'data')
        done = record(path, 'fpid$target:a.out:work:entry { }', harness.target('forker'),
                      ('-q', '-x', 'follow'))
        script(path)
        text = perf('script', '--show-task-events', '-i', path).out
        told, parents = set(re.findall(r'^target=(\d+)$', text, re.M)), set()
        for line in text.splitlines():
            fork = re.search(r'PERF_RECORD_FORK\((\d+):\1\):\((\d+):\2\)', line)
            call = re.search(r'^ *forker +(\d+) .*fpid:entry: forker`work', line)
            if fork:
                told.add(fork[1])
                parents.add(fork[2])
            harness.check(not call or call[1] in told, 'no fork before %s\n%s\n%s', line, done,
                          text)
        harness.check(len(told) > 2 and len(parents) == 1, 'forks: %s of %s', told, parents)


def silent():
    """Without -g the program prints nothing; with it the same as always."""
    program = 'fpid$target:a.out:gamma_once:entry { printf("seen\\n"); @["g"] = count(); }'
    with folder() as place:
        done = record(os.path.join(place, '1'), program, harness.target('plain'))
        harness.check(done.status == 0 and 'seen' not in done.out, '-E: %s', done)
        done = record(os.path.join(place, '2'), program, harness.target('plain'), ('-q', '-g'))
        harness.check(re.search(r'^seen$', done.out, re.M) and re.search(r'^  g +1$', done.out, re.M),
                      '-gE: %s', done)
        done = harness.run([harness.DTRACE, '-gn', 'BEGIN { exit(0); }'])
        harness.check(done.status == 1 and '-g needs the file of -E' in done.err, '-g: %s', done)


def owner_only():
    """The file is new, and its owner's."""
    with folder() as place:
        path, link = os.path.join(place, 'data'), os.path.join(place, 'link')
        os.symlink(path, link)
        done = record(link, 'BEGIN { exit(0); }', 'true')
        harness.check(done.status != 0 and not os.path.exists(path), 'a symbolic link: %s', done)
        old = os.umask(0)
        try:
            done = record(path, 'BEGIN { exit(0); }', 'true')
        finally:
            os.umask(old)
        harness.check(done.status == 0 and stat.S_IMODE(os.stat(path).st_mode) == 0o600,
                      'the mode: %s %o', done, os.stat(path).st_mode)


def never_begun():
    """A program with an error, or a command that does not start, leaves no file."""
    with folder() as place:
        path = os.path.join(place, 'data')
        for program, command in (('fpid$target:a.out:nowhere:entry', 'true'),
                                 ('BEGIN { nonsense }', 'true'),
                                 ('BEGIN', os.path.join(place, 'nowhere'))):
            done = record(path, program, command)
            harness.check(done.status != 0 and not os.listdir(place), '%s: %s %s', program,
                          os.listdir(place), done)


def full_disk():
    """The run ends with a message; perf reads what there was room for."""
    if os.geteuid() != 0 or not shutil.which('unshare'):
        raise harness.Skipped('only root can mount a small file system')
    with folder() as place:
        command = ('mount -t tmpfs -o size=300k none %s && '
                   '"$0" -qE %s/data -n \'fpid$target:a.out:: { }\' -c %s; status=$?; '
                   'cp %s/data %s.kept; exit $status'
                   % (place, place, harness.target('plain'), place, place))
        try:
            done = harness.run(['unshare', '-m', 'sh', '-c', command, harness.DTRACE])
            harness.check(done.status == 1 and 'No space left on device' in done.err,
                          'the run: %s', done)
            harness.check('fpid:' in script(place + '.kept'), 'nothing was kept')
        finally:
            if os.path.exists(place + '.kept'):
                os.unlink(place + '.kept')


def killed():
    """dtrace is killed: perf reads what is there."""
    with folder() as place:
        path = os.path.join(place, 'data')
        with subprocess.Popen([harness.DTRACE, '-qE', path, '-n',
                               'fpid$target:a.out::entry { }', '-c',
                               harness.target('busy')], stdout=subprocess.DEVNULL,
                              start_new_session=True) as run:
            try:
                harness.until(lambda: os.path.exists(path) and os.stat(path).st_size > 20000,
                              30, 'events in the file')
            finally:
                run.send_signal(signal.SIGKILL)
        harness.check('fpid:entry: busy`work' in script(path), 'no calls')


# name: test program, options, program. The second run replays the file of the first.
SAME = {
    'counts': ('plain', '', 'fpid$target:a.out::entry { @[probefunc] = count(); }'),
    'times': ('plain', '', """fpid$target:a.out::entry { self->t = timestamp; }
        fpid$target:a.out::return /self->t/
        { @[probefunc] = quantize(timestamp - self->t); @s = stddev(vtimestamp); self->t = 0; }"""),
    'columns': ('plain', '', 'fpid$target:a.out::entry { trace(arg0); trace(timestamp); }'),
    'arguments': ('args', '-q', """fpid$target:a.out::entry
        { printf("%s %d %d %x %d\\n", probefunc, arg0, arg1, arg2, arg9); }
        fpid$target:a.out::return { printf("%s+%x %d\\n", probefunc, arg0, arg1); }"""),
    'stacks': ('plain', '-q', """fpid$target:a.out:alpha:entry
        { @[ustack(5)] = count(); @d[ustackdepth, ufunc(ucaller)] = count(); }"""),
    'speculation': ('plain', '-q', """fpid$target:a.out:beta:entry
        { self->s = speculation(); speculate(self->s); printf("beta %d\\n", arg0); }
        fpid$target:a.out:alpha:entry /self->s && arg0 & 1/ { commit(self->s); self->s = 0; }
        fpid$target:a.out:beta:return /self->s/ { discard(self->s); self->s = 0; }"""),
    'strings': ('args', '-q', """fpid$target:a.out:text:entry
        { self->at = arg0; printf("%s|", strjoin(copyinstr(arg0, 8), "!")); }
        fpid$target:a.out:text:return /self->at/
        { printf("%s %d\\n", copyinstr(self->at + 1), *(char *)copyin(self->at, 1)); }
        fpid$target:a.out:text:entry { trace(copyinstr(arg0 & 0xff)); }"""),
    'predicates': ('plain', '-q', """fpid$target:a.out:alpha:entry /arg0 > 2 && n++ < 5/
        { printf("%d %d %s\\n", n, arg0, execname); }
        fpid$target:a.out:alpha:entry /n == 5/ { exit(7); }"""),
    'usdt': ('noted', '-q', 'noted$target::: { @[probemod, probename, arg0, arg1] = count(); }'),
    'pid': ('args', '-q', """pid$target:a.out:ten:
        { @[probename] = count(); @r[uregs[R_SP]] = count(); }"""),
    'family': ('forker', '-q -x follow', """fpid$target:a.out:main:return
        { @[pid, ppid, execname, curpsinfo->pr_psargs] = count(); }"""),
    'calls': ('plain', '-q', """syscall:::return { @[probefunc, errno, arg0] = count(); }
        syscall::write:entry { printf("%d %s\\n", arg0, fds[arg0].fi_pathname); }"""),
    'descriptors': ('plain', '-q', """syscall::write:entry /n++ < 8/
        { printf("%s %s %s %s %d %x\\n", fds[arg0].fi_pathname, fds[arg0].fi_name,
            fds[arg0].fi_dirname, fds[arg0].fi_fs, fds[arg0].fi_offset, fds[arg0].fi_oflags);
          printf("%s %s %d\\n", fds[0].fi_pathname, fds[2].fi_pathname, fds[2].fi_offset); }
        syscall::write:entry /m++ < 8/ { this->fd = 1LL << 40 | arg0;
          printf("%s %s %d\\n", fds[77].fi_pathname, fds[this->fd].fi_pathname,
            fds[this->fd].fi_offset); }"""),
    'clock': ('/bin/sleep 0.2', '-q', """tick-10ms { printf("%d %d\\n", timestamp, walltimestamp); }
        tick-55ms { printf("%Y\\n", walltimestamp); exit(0); }"""),
    'types': ('args', '-q', """fpid$target:a.out:text:entry
        { printf("%s\\n", stringof(args[0])); }
        fpid$target:a.out:six:entry { printf("%d %d\\n", args[0], args[5]); }"""),
    'stack_sums': ('plain', '-q', """fpid$target:a.out:alpha:entry { self->t = timestamp; }
        fpid$target:a.out:alpha:return /self->t/ { @[probefunc, self->t % 2] = count();
            @s[tid] = sum(timestamp - self->t); @m = max(timestamp - self->t); self->t = 0; }
        fpid$target:a.out:beta:entry { @u[ustack(4), arg0 & 1] = sum(arg0); }"""),
    'usdt_strings': ('noted', '-q', """noted$target::: { self->n++; @[probename, self->n > 3] =
        count(); printf("%s %d %d\\n", probename, arg0, self->n); }"""),
    'speculated_stacks': ('plain', '-q', """fpid$target:a.out:beta:entry /arg0 % 50 == 0/
        { self->s = speculation(); speculate(self->s); ustack(2); }
        fpid$target:a.out:beta:return /self->s/ { speculate(self->s); printf("%d\\n", arg1); }
        fpid$target:a.out:beta:return /self->s/ { commit(self->s); self->s = 0; }"""),
    'indented': ('plain', '-F', 'fpid$target:a.out::entry,fpid$target:a.out::return { }'),
}


def replayed(name):
    """What the same program prints of the recording is what it has printed."""
    target, options, program = SAME[name]
    with folder() as place:
        data, live, again = (os.path.join(place, n) for n in ('data', 'live', 'again'))
        first = harness.run([harness.DTRACE, *options.split(), '-gE', data, '-o', live, '-n',
                             program, '-c', target if '/' in target else harness.target(target)])
        options = options.replace('-x follow', '')
        second = harness.run([harness.DTRACE, *options.split(), '-E', data, '-o', again, '-n',
                              program])
        with open(live, 'rb') as a, open(again, 'rb') as b:
            expected, printed = a.read(), b.read()
        harness.check(len(expected) > 10, 'it printed nothing: %s', first)
        harness.check(expected == printed and first.status == second.status,
                      'live:\n%s\nof the recording:\n%s\n%s\n%s', expected.decode(),
                      printed.decode(), first, second)


def later():
    """Another program asks something else; what was not recorded is a fault."""
    with folder() as place:
        path = os.path.join(place, 'data')
        done = record(path, 'fpid$target:a.out::entry /0/ { ustack(); }', harness.target('plain'))
        calls, _ = harness.truth(done.out)
        asked = harness.run([harness.DTRACE, '-qE', path, '-n',
                             'fpid*::al*:entry { @[probemod, probefunc] = count(); }'])
        harness.check(re.search(r'^  plain +alpha +%d$' % calls['alpha'], asked.out, re.M),
                      'calls of alpha: %s', asked)
        asked = harness.run([harness.DTRACE, '-qE', path, '-n',
                             'fpid$target:a.out:beta:entry { @[ustack(1)] = count(); }'])
        harness.check('plain`beta' in asked.out, 'its stacks: %s', asked)
        asked = harness.run([harness.DTRACE, '-qE', path, '-n',
                             'fpid$target:a.out:beta:entry { trace(copyin(arg0 + 4096, 4)); }'])
        harness.check('invalid address' in asked.err, 'memory that was not read: %s', asked)
        asked = harness.run([harness.DTRACE, '-lE', path, '-n', 'fpid$target:::'])
        harness.check(re.search(r'fpid\d+ +plain +alpha entry', asked.out), 'a list: %s', asked)
        asked = harness.run([harness.DTRACE, '-qE', path, '-n', 'fpid$target::gamma_once:return'])
        harness.check(asked.status == 1 and 'does not match any probes' in asked.err,
                      'a probe that was not recorded: %s', asked)


def damaged():
    """A recording that is cut, or has other bytes, is no reason to crash."""
    program = 'fpid$target:a.out:: { @[probefunc, arg0, copyinstr(arg1)] = count(); ustack(); }'
    chance = random.Random(4)
    with folder() as place:
        path, broken = os.path.join(place, 'data'), os.path.join(place, 'broken')
        record(path, program, harness.target('args'))
        with open(path, 'rb') as f:
            whole = f.read()
        for i in range(12):
            at = chance.randrange(16, len(whole))
            data = bytearray(whole[:at] if i % 4 == 0 else whole)
            for _ in range(i % 4):
                data[chance.randrange(16, len(data))] = chance.randrange(256)
            with open(broken, 'wb') as f:
                f.write(data)
            done = harness.run([harness.DTRACE, '-qE', broken, '-n', program])
            harness.check(done.status in (0, 1), 'round %d: %s', i, done)


def flight():
    """With bufpolicy=ring the last events before the end are kept, also that of a crash."""
    with folder() as place:
        path = os.path.join(place, 'data')
        done = record(path, 'syscall:::entry { }', "/bin/sh -c 'kill -SEGV $$'",
                      ('-q', '-x', 'bufpolicy=ring', '-x', 'bufsize=4k'))
        harness.check(done.status == 0, 'the run: %s', done)
        asked = harness.run([harness.DTRACE, '-qE', path, '-n',
                             'syscall:::entry { printf("%s %d\\n", probefunc, arg1); }'])
        lines = asked.out.split('\n')
        harness.check('kill 11' in lines and len(lines) < 40, 'the last events: %s', asked)


PYTHON = '''
import os
def inner():
    os.getppid()
def outer(n):
    if n: outer(n - 1)
    else: inner()
for i in range(5):
    outer(i % 3)
'''


def python():
    """Frames of Python among native ones (-x pystack) have their names in the recording."""
    command = '/usr/bin/python3.11'
    if not os.path.exists(command):
        raise harness.Skipped('no python3.11: apt-get install python3.11')
    program = '''pid$target:libc:getppid:entry { ustack(60); @[ustack(60)] = count();
        @text[pystack(3)] = count(); }'''
    with folder() as place:
        path, source = os.path.join(place, 'data'), os.path.join(place, 'work.py')
        with open(source, 'w', encoding='utf-8') as f:
            f.write(PYTHON)
        live = harness.run([harness.DTRACE, '-qgE', path, '-x', 'pystack', '-n', program, '-c',
                            '%s %s' % (command, source)])
        harness.check(live.status == 0 and len(re.findall(r'^ *inner \(work.py:4\)\n *outer ',
                                                          live.out, re.M)) >= 5, '%s', live)
        for options in ((), ('-x', 'pystack')):
            again = harness.run([harness.DTRACE, '-qE', path, *options, '-n', program])
            harness.check(live.out == again.out, 'live: %s\nof the recording: %s', live, again)
        text = script(path)
        harness.check(len(re.findall(r'dtrace:python: \w+ is inner \(.*work.py:4\)', text)) == 1,
                      'perf script:\n%s', text)


# ---- events of the kernel ----

# It goes on until it is killed; what its calls point to stays as it is.
ROUNDS = '''
import os, sys
path, data = b'/nowhere/%d' % os.getpid(), [b'x' * i + b'.' for i in range(20)]
ours, theirs = os.pipe()
os.dup2(theirs, 77)
while True:
    for i in range(20):
        os.getppid()
        os.write(77, data[i])
        os.read(ours, 100)
    try: os.open(path, 0)
    except OSError: pass
    if os.fork() == 0: os._exit(0)
    os.wait()
'''

# The first 30 lines are of typed fields, of what was asked of /proc, and of other threads.
KERNEL = '''
    sdt:sched::sched_switch /execname == @name@ && a++ < 30/
    { printf("%d %s %s %d %d\\n", timestamp, args[0]->prev_comm, args[0]->next_comm,
        args[0]->next_pid, args[0]->prev_state); stack(3); }
    sched:::on-cpu /execname == @name@ && b++ < 30/ { printf("on %d %d %s\\n", pid, cpu, execname); }
    sched:::off-cpu /execname == @name@/ { self->off = timestamp; @off[execname] = count(); }
    sched:::on-cpu /self->off/ { @away = quantize(timestamp - self->off); self->off = 0; }
    syscall::open*:entry /execname == @name@/
    { printf("%s %d %s %s %d\\n", copyinstr(arg1), walltimestamp, curpsinfo->pr_psargs, cwd, ppid); }
    syscall::open*:return /execname == @name@/ { @errors[errno, probefunc] = count(); }
    syscall::write:entry /arg0 == 77/ { @files[fds[arg0].fi_fs, fds[arg0].fi_name] = sum(arg2);
        @texts[copyinstr(arg1, arg2)] = count(); @where[ustack(3)] = count(); }
    sdt:sched::sched_process_fork /execname == @name@/ { born[args[0]->child_pid] = 1; }
    proc:::exit /born[pid]/ { @ended[execname] = count(); }
    profile-997 { @p[execname == @name@, arg0 != 0] = count(); @stacks[stack(3)] = count(); }
    profile-211 { @q[execname] = count(); }
    syscall::getppid:entry /execname == @name@ && ++n == 200/ { exit(0); }'''


class Rounds(tracefs.Named):
    """The program runs as long as the block."""

    def __init__(self):
        super().__init__(ROUNDS)

    def __enter__(self):
        self.run = subprocess.Popen([self.path, self.script], stdin=subprocess.DEVNULL)
        return self

    def __exit__(self, *_):
        self.run.kill()
        self.run.wait()

    def record(self, path, program, *options):
        done = tracefs.dtrace(*options, '-E', path, '-n', program.replace('@name@', '"%s"' % self.name),
                              timeout=120)
        harness.check(done.status == 0, '%s', done)
        return done

    def replay(self, path, program, *options):
        done = harness.run([harness.DTRACE, *options, '-E', path, '-n',
                            program.replace('@name@', '"%s"' % self.name)])
        harness.check(done.status == 0, '%s', done)
        return done


def perf_counts(path):
    """How often perf shows each event."""
    shown = perf('script', '-F', 'event', '-i', path)
    harness.check(shown.status == 0 and not shown.err.strip(), 'perf script: %s', shown)
    return collections.Counter(re.findall(r'^\s*([\w:-]+): *$', shown.out, re.M))


def kernel():
    """Events of the machine: live and of the recording byte for byte the same; perf shows them as
    the kernel's own; another program asks them something else."""
    with folder() as place, Rounds() as work:
        path = os.path.join(place, 'data')
        live = work.record(path, KERNEL, '-qg', '-x', 'bufsize=16m')
        again = work.replay(path, KERNEL, '-q')
        # a live run may come too late for the functions of a process that has ended
        first, second = (re.sub(r'libc\.so\.6`\S+', 'libc.so.6`', out)
                         for out in (live.out, again.out))
        harness.check(first == second and len(live.out) > 2000,
                      'live:\n%s\nof the recording:\n%s', live.out, again.out)
        for text in (r'/nowhere/%d \d+ .*%s' % (work.run.pid, re.escape(work.script)), r'pipe:\[',
                     r'xxxxxxxxxx\. ', 'on %d [0-9]+ %s' % (work.run.pid, work.name), 'vmlinux`',
                     'libc.so.6`'):
            harness.check(re.search(text, live.out), '%s is missing: %s', text, live)
        asked = work.replay(path, '''sdt:sched::sched_switch { @["sched:sched_switch"] = count(); }
            sdt:sched::sched_process_fork { @["sched:sched_process_fork"] = count(); }
            profile-997,profile-211 { @["cpu-clock"] = count(); }
            END { printa("%s %@d\\n", @); }''', '-q')
        counts = perf_counts(path)
        for name, n in re.findall(r'^(\S+) (\d+)$', asked.out, re.M):
            harness.check(counts[name] == int(n) > 0, '%s: %s, perf: %s', name, asked, counts)
        shown = script(path)
        harness.check(re.search(r'sched:sched_switch: prev_comm=%s .*\n\s+\w+ __schedule' % work.name,
                                shown), 'perf script:\n%s', shown[:4000])


def kernel_columns():
    """With the columns of CPU and ID; probes of processes among them."""
    program = '''sdt:sched::sched_switch /execname == @name@/ { trace(arg3); }
        syscall::getppid:entry { trace(pid); } sdt:sched::sched_wakeup /args[0]->pid == -7/ { }
        syscall::getppid:entry /execname == @name@ && ++n == 200/ { exit(3); }'''
    with folder() as place, Rounds() as work:
        path = os.path.join(place, 'data')
        words = ('-x', 'bufsize=16m', '-n', program.replace('@name@', '"%s"' % work.name))
        live = tracefs.dtrace('-gE', path, *words)
        again = harness.run([harness.DTRACE, '-E', path, *words])
        harness.check(live.out == again.out and live.status == again.status == 3 and
                      live.out.count('getppid:entry') > 199, 'live: %s\nof the recording: %s', live,
                      again)
        asked = work.replay(path, 'sdt:sched::sched_wakeup { @ = count(); }', '-q')
        harness.check(int(asked.out) > 0, 'wakeups that no predicate took: %s', asked)


def kernel_picked():
    """With -c, events count in its process alone, also those that another thread sees."""
    program = '''sched:::on-cpu { @["on", execname, pid == $target] = count(); }
        sched:::off-cpu { @["off", execname, pid == $target] = count(); }
        fpid$target:a.out:alpha:entry { @["alpha", execname, pid == $target] = count(); }'''
    with folder() as place:
        path = os.path.join(place, 'data')
        live = tracefs.dtrace('-qgE', path, '-n', program, '-c', harness.target('plain'))
        again = harness.run([harness.DTRACE, '-qE', path, '-n', program])
        lines = re.findall(r'^  (\w+) +(\w+) +([01]) +\d+$', live.out, re.M)
        harness.check({line[0] for line in lines} == {'on', 'off', 'alpha'} and
                      {line[1:] for line in lines} == {('plain', '1')}, '%s', live)
        harness.check(live.out.split('  alpha ', 1)[1] == again.out.split('  alpha ', 1)[1],
                      'live: %s\nof the recording: %s', live, again)


def kernel_flight():
    """With bufpolicy=ring the last events are kept, and those before a snapshot()."""
    program = '''syscall::getppid:entry /execname == @name@ && ++n == 2000/ { snapshot(); }
        syscall::getppid:entry /execname == @name@ && n == 4000/ { exit(0); }'''
    count = '''syscall::getppid:entry { @ = count(); last = timestamp; }
        END { printa("%@d", @); printf(" %d\\n", last); }'''
    with folder() as place, Rounds() as work:
        path = os.path.join(place, 'data')
        work.record(path, program, '-q', '-x', 'bufpolicy=ring', '-x', 'bufsize=16k')
        (n, last), (m, before) = (map(int, work.replay(name, count, '-q').out.split())
                                  for name in (path, path + '.1'))
        most = os.cpu_count() * 16384 // 80
        harness.check(50 < n < most and 50 < m < most and before < last, '%d to %d, then %d to %d',
                      m, before, n, last)


NAMES = ('two\nlines', 'a b\tc', 'ends (deleted)', '[heap]', 'back\\slash',
         os.fsdecode(b'\xff\xfe'))


def paths():
    """Names of functions, in the run and in its replay, whatever the path of the program."""
    program = 'fpid$target:prog:alpha:entry { @[ustack(1)] = count(); }'
    for name in NAMES:
        with folder() as place:
            path = os.path.join(place, 'data')
            os.mkdir(os.path.join(place, name))
            copy = shutil.copy(harness.target('plain'), os.path.join(place, name, 'prog'))
            with open(os.path.join(place, 'run'), 'w', encoding='utf-8',
                      errors='surrogateescape') as f:
                f.write("exec '%s'\n" % copy)
            done = record(path, program, 'sh ' + os.path.join(place, 'run'))
            again = harness.run([harness.DTRACE, '-qE', path, '-n', program])
        calls, _ = harness.truth(done.out)
        harness.check(again.out.split() == ['prog`alpha', str(calls['alpha'])], '%r: %s\n%s',
                      name, done, again)


CASES = {function.__name__: function
         for function in (perf_script, paths, returns, forks, silent, owner_only, never_begun, full_disk, killed,
                          later, damaged, flight, python, kernel, kernel_columns, kernel_picked,
                          kernel_flight)}
CASES.update({'replay_' + name: functools.partial(replayed, name) for name in SAME})

if __name__ == '__main__':
    harness.main(CASES)
