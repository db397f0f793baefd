#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A signal ends dtrace in every phase of a run: while it reads a program, preprocesses it,
lists, prepares, traces, prints, names addresses; also where what it waits for does not come:
a keeper that is stopped, a file system that is silent, a reader that does not read. What is
traced is as before then, and no process is left."""
import contextlib
import ctypes
import errno
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
from attached import Gate, check_free, text_of, tracers  # noqa: E402

LIMIT = 10  # seconds: of a hang; 0.3 is the aim
PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH = 0x4206, 0x4207, 17  # ptrace(2)
WALL = 0x40000000  # wait(2)
SLOW = []  # how long each end took


def stat(pid):
    """The state and the parent of a process; None: there is none."""
    try:
        with open('/proc/%d/stat' % pid, encoding='utf-8') as f:
            words = f.read().rpartition(')')[2].split()
            return words[0], int(words[1])
    except OSError:
        return None


def has_gone(pid):
    known = stat(pid)
    return not known or known[0] == 'Z'


def group_of(pid):
    """Who has this process among its ancestors."""
    found = {pid}
    for name in sorted(map(int, filter(str.isdigit, os.listdir('/proc')))):
        known = stat(name)
        if known and known[1] in found:
            found.add(name)
    return found - {pid}


class Run:
    """dtrace in a session of its own."""

    def __init__(self, *arguments, ignores=(), **streams):
        def prepare():
            for number in ignores:
                signal.signal(number, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, ignores)
        streams = {'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, **streams}
        self.process = subprocess.Popen([harness.DTRACE, *map(str, arguments)], text=True,
                                        stdin=subprocess.DEVNULL, start_new_session=True,
                                        preexec_fn=prepare, **streams)
        self.pid = self.process.pid
        self.out = self.err = ''

    def keeper(self):
        found = []

        def has_keeper():
            for pid in group_of(self.pid):
                with contextlib.suppress(OSError), \
                        open('/proc/%d/comm' % pid, encoding='utf-8') as f:
                    if f.read() == 'probekeeper\n':
                        found.append(pid)
            return found or self.process.poll() is not None
        harness.until(has_keeper, 20, 'the keeper')
        harness.check(found, 'it ended: %s', self.process.returncode)
        return found[0]

    def hear(self, text):
        line = self.process.stdout.readline()
        harness.check(line == text + '\n', 'it says %r', line)

    def end(self, number, statuses, pause=0.0):
        """The status after the signal is one of these, soon; nothing of it is left."""
        before = group_of(self.pid)
        time.sleep(pause)
        start = time.monotonic()
        self.process.send_signal(number)
        try:
            self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            raise harness.Failure('it goes on after %s' % number.name) from None
        SLOW.append(time.monotonic() - start)
        for pid in before:
            harness.until(lambda pid=pid: has_gone(pid) or self.has_released(pid), LIMIT,
                          'the end of process %d' % pid)
        if self.process.stdout:
            self.out = self.process.stdout.read()
        if self.process.stderr:
            self.err = self.process.stderr.read()
        harness.check(self.process.returncode in statuses, 'status %s, not %s\n%s\n%s',
                      self.process.returncode, statuses, self.out, self.err)

    def has_released(self, pid):
        """A program of -c runs on after a run that ended in order; not here."""
        with contextlib.suppress(OSError):
            if self.process.returncode == 0 and not tracers(pid):
                os.kill(pid, signal.SIGKILL)
        return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            for pid in group_of(self.pid):
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGCONT)
            self.process.kill()
            self.process.wait()
        for stream in self.process.stdout, self.process.stderr:
            if stream:
                stream.close()


SIGNALS = signal.SIGINT, signal.SIGTERM
DEATHS = {number: [-number] for number in SIGNALS}


def took():
    return 'slowest %.2f s' % max(SLOW)


def sleeps(pid, call=None):
    """Whether a process sleeps, and in that system call."""
    with contextlib.suppress(OSError), \
            open('/proc/%d/syscall' % pid, encoding='utf-8') as f:
        text = f.read().split()[0]
        return text != 'running' and (call is None or text == call)
    return False


def reading():
    """Of the program, from a pipe into which nobody writes; of the file of -o without a
    reader. Also if the signal was ignored and blocked when dtrace started."""
    for ignores in (), SIGNALS:
        for number in SIGNALS:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, 'fifo')
                os.mkfifo(path)
                for arguments in ('-s', path), ('-o', path, '-n', 'BEGIN'):
                    with Run(*arguments, ignores=ignores) as run:
                        harness.until(lambda r=run: sleeps(r.pid, '257'), 20, 'open(2)')
                        run.end(number, DEATHS[number])
                harness.check(os.listdir(folder) == ['fifo'], 'it leaves %s', os.listdir(folder))
    return took()


def preprocessing():
    """The preprocessor, which waits for a file to include, ends with dtrace. No recording is
    left that has nothing in it."""
    for number in SIGNALS:
        with tempfile.TemporaryDirectory() as folder:
            fifo, script = os.path.join(folder, 'fifo.h'), os.path.join(folder, 'x.d')
            os.mkfifo(fifo)
            with open(script, 'w', encoding='utf-8') as f:
                f.write('#include "%s"\nBEGIN { }\n' % fifo)
            with Run('-C', '-s', script, '-E', os.path.join(folder, 'run.data')) as run:
                def waits(r=run):
                    return any(sleeps(pid, '257') for pid in group_of(r.pid))
                harness.until(waits, 20, 'the file to include')
                run.end(number, DEATHS[number])
            left = sorted(os.listdir(folder))
            harness.check(left == ['fifo.h', 'x.d'], 'it leaves %s', left)
    return took()


def listing():
    """Of all instructions of a process's libraries."""
    with Gate([harness.target('gate')]) as gate:
        before = text_of(gate.pid)
        for number in SIGNALS:
            with Run('-l', '-n', 'fpid$target:libc::,pid$target:libc::', '-p', gate.pid,
                     stdout=subprocess.DEVNULL) as run:
                run.keeper()
                run.end(number, [-number, 0], 0.05)
            harness.until(lambda: not tracers(gate.pid), LIMIT, 'no tracer')
            check_free(gate.pid, before)
    return took()


ON = 'tick-20ms /!on++/ { printf("on\\n"); } '
COUNT = 'pid$target:a.out:work:entry, fpid$target:a.out:work:return { @ = count(); } ' + ON
SLEEP = 'pid$target:libc:*sleep*:entry, fpid$target:libc:*sleep*:return { @ = count(); } ' + ON


def stopped_keeper():
    """It is continued, and gives its target back; what was counted is printed."""
    with Gate([harness.target('gate')]) as gate:
        before = text_of(gate.pid)
        for number in SIGNALS:
            with Run('-x', 'switchrate=5ms', '-qn', COUNT, '-p', gate.pid) as run:
                run.hear('on')
                gate.work(100, 'changed')
                os.kill(run.keeper(), signal.SIGSTOP)
                run.end(number, [0])
                harness.check(re.search(r'^ +200$', run.out, re.M) and not run.err,
                              'it printed\n%s\n%s', run.out, run.err)
            check_free(gate.pid, before)
            gate.work(10, 'same')
    return took()


def stopped_keeper_early():
    """The same while it prepares; and when dtrace is killed in the end."""
    with Gate([harness.target('gate')]) as gate:
        before = text_of(gate.pid)
        for number in *SIGNALS, signal.SIGKILL:
            for delay in 0, 0.02, 0.05, 0.2:
                with Run('-qn', COUNT, '-p', gate.pid) as run:
                    keeper = run.keeper()
                    time.sleep(delay)
                    os.kill(keeper, signal.SIGSTOP)
                    run.end(number, [-number, 0], 0.05)
                harness.until(lambda: not tracers(gate.pid), LIMIT, 'no tracer')
                check_free(gate.pid, before)
                gate.work(10, 'same')
    return took()


def stopped_keeper_of_command():
    """A program of -c does not stay behind."""
    for number in *SIGNALS, signal.SIGKILL:
        for delay in 0, 0.02, 0.2:
            with Run('-qn', SLEEP, '-c', 'sleep 30', stdout=subprocess.DEVNULL) as run:
                keeper = run.keeper()
                time.sleep(delay)
                os.kill(keeper, signal.SIGSTOP)
                run.end(number, [-number, 0], 0.05)
    return took()


def stopped_keeper_of_dead():
    """A keeper that is stopped does not tell that the process has been killed: the run ends,
    while it traces and while it prepares, and what was counted is printed."""
    with Gate([harness.target('gate')]) as gate:
        with Run('-x', 'switchrate=5ms', '-qn', COUNT, '-p', gate.pid) as run:
            run.hear('on')
            gate.work(100, 'changed')
            os.kill(run.keeper(), signal.SIGSTOP)
            harness.until(lambda: stat(run.keeper())[0] == 'T', 20, 'a stopped keeper')
            gate.process.kill()
            out = run.process.communicate(timeout=LIMIT)[0]
            harness.check(run.process.returncode == 0 and re.search(r'^ +200$', out, re.M),
                          'status %d, printed\n%s', run.process.returncode, out)
    for delay in 0, 0.02, 0.1:
        with Gate([harness.target('gate')]) as gate, Run('-qn', COUNT, '-p', gate.pid) as run:
            keeper = run.keeper()
            time.sleep(delay)
            os.kill(keeper, signal.SIGSTOP)
            gate.process.kill()
            run.process.wait(LIMIT)
            harness.check(run.process.returncode in (0, 1), 'status %d', run.process.returncode)


def available(stream):
    """What there is to read: the keeper may still have the other end."""
    os.set_blocking(stream.fileno(), False)
    return stream.read() or ''


class Frozen:
    """All threads of a process, stopped by ptrace(2): it is not stopped by a signal."""

    def __init__(self, pid):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.tids = [int(tid) for tid in os.listdir('/proc/%d/task' % pid)]
        for tid in self.tids:
            self.request(PTRACE_SEIZE, tid)
            self.request(PTRACE_INTERRUPT, tid)
            os.waitpid(tid, WALL)

    def request(self, what, tid):
        if self.libc.ptrace(what, tid, None, None):
            number = ctypes.get_errno()
            if number == errno.EPERM:
                raise harness.Skipped('the keeper cannot be traced: ' + os.strerror(number))
            raise OSError(number, os.strerror(number))

    def thaw(self):
        while self.tids:
            self.request(PTRACE_DETACH, self.tids.pop())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.thaw()


def silent_keeper():
    """One that hangs, but that no signal has stopped: later signals give it up. It is not
    killed, as it holds the process, which it gives back once it can."""
    with Gate([harness.target('gate')]) as gate:
        before = text_of(gate.pid)
        with Run('-x', 'switchrate=5ms', '-qn', COUNT, '-p', gate.pid) as run:
            run.hear('on')
            gate.work(100, 'changed')
            keeper = run.keeper()
            with Frozen(keeper):
                for _ in range(4 * LIMIT):
                    run.process.send_signal(signal.SIGINT)
                    time.sleep(0.25)
                    if run.process.poll() is not None:
                        break
                run.process.wait(LIMIT)
                out, err = (available(f) for f in (run.process.stdout, run.process.stderr))
                harness.check(run.process.returncode == 1 and
                              re.search(r'^ +200$', out, re.M) and
                              'left out: the release of targets' in err and
                              'the keeper process %d has not ended: what it traces stays '
                              'traced until it does' % keeper in err,
                              'status %d\n%s\n%s', run.process.returncode, out, err)
                harness.check(tracers(gate.pid) == {keeper}, 'the process is traced by %s',
                              tracers(gate.pid))
        harness.until(lambda: not tracers(gate.pid), LIMIT, 'no tracer')
        check_free(gate.pid, before)
        gate.work(10, 'same')


def stuck_reader_for():
    """The end of --for is an end as that by a signal: the target is given back though the
    reader takes nothing, and a signal then gives the reader up."""
    program = COUNT + 'tick-1ms { printf("%8000s\\n", "x"); }'
    with Gate([harness.target('gate')]) as gate:
        before = text_of(gate.pid)
        with Run('--for', '500ms', '-qn', program, '-p', gate.pid) as run:
            harness.until(lambda: sleeps(run.pid, '1'), 20, 'a full pipe')
            harness.until(lambda: not tracers(gate.pid), LIMIT, 'no tracer')
            check_free(gate.pid, before)
            gate.work(10, 'same')
            harness.check(run.process.poll() is None, 'it did not wait for its reader')
            time.sleep(0.4)
            run.end(signal.SIGINT, [1])
    return took()


def stuck_reader():
    """The target is given back at the first signal, though the reader takes nothing; the
    second one ends dtrace."""
    program = COUNT + 'tick-1ms { printf("%8000s\\n", "x"); }'
    with Gate([harness.target('gate')]) as gate:
        before = text_of(gate.pid)
        for number in SIGNALS:
            with Run('-qn', program, '-p', gate.pid) as run:
                harness.until(lambda r=run: sleeps(r.pid, '1'), 20, 'a full pipe')
                run.process.send_signal(number)
                harness.until(lambda: not tracers(gate.pid), LIMIT, 'no tracer')
                check_free(gate.pid, before)
                gate.work(10, 'same')
                harness.check(run.process.poll() is None, 'it did not wait for its reader')
                time.sleep(0.4)
                run.end(number, [1])
    return took()


def slow_command():
    """The same while system() runs a command that does not end."""
    with Gate([harness.target('gate')]) as gate:
        before = text_of(gate.pid)
        for number in SIGNALS:
            with Run('-x', 'switchrate=5ms', '-qwn', COUNT +
                     'tick-200ms /!n++/ { system("exec sleep 60"); }', '-p', gate.pid) as run:
                run.hear('on')
                gate.work(10, 'changed')
                harness.until(lambda r=run: sleeps(r.pid, '61'), 20, 'wait4(2)')
                run.process.send_signal(number)
                harness.until(lambda: not tracers(gate.pid), LIMIT, 'no tracer')
                check_free(gate.pid, before)
                commands = group_of(run.pid)
                time.sleep(0.4)
                run.process.send_signal(number)
                run.process.wait(LIMIT)
                for pid in commands:
                    with contextlib.suppress(OSError):
                        os.kill(pid, signal.SIGKILL)
                out, err = run.process.communicate()
                harness.check(run.process.returncode == 1 and 'system()' in err and
                              re.search(r'^ +20$', out, re.M), '%s\n%s', out, err)
            gate.work(10, 'same')


class SilentFiles:
    """A file system of one file, the program gate, until be_silent()."""

    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, 'file')
        self.server = subprocess.Popen(
            [harness.target('silent_fs'), self.folder.name, program], text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if self.server.stdout.readline() != 'ready\n':
            said = self.server.stderr.read().strip()
            self.close()
            raise harness.Skipped('no file system of our own can be mounted: %s' % said)

    def be_silent(self):
        """What was read before is still known; who opens the file sleeps."""
        self.server.send_signal(signal.SIGUSR1)

    def close(self):
        self.server.kill()  # who sleeps there wakes up with an error
        self.server.wait()
        subprocess.run(['umount', '-l', self.folder.name], stderr=subprocess.DEVNULL, check=False)
        for stream in self.server.stdout, self.server.stderr:
            stream.close()
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def asks_server(pid):
    """One of its threads waits for the server of a file system, or for a page."""
    for tid in os.listdir('/proc/%d/task' % pid):
        place = '/proc/%d/task/%s/' % (pid, tid)
        with contextlib.suppress(OSError), open(place + 'stat', encoding='utf-8') as f, \
                open(place + 'wchan', encoding='utf-8') as name:
            if f.read().rpartition(')')[2].split()[0] == 'D' or 'request_wait' in name.read():
                return True
    return False


def silent_program():
    """The program's own file is not read: while the probes are looked for."""
    for number in SIGNALS:
        with SilentFiles(harness.target('gate')) as files, Gate([files.path]) as gate:
            gate.work(10, 'same')
            files.be_silent()
            with Run('-qn', COUNT, '-p', gate.pid) as run:
                harness.until(lambda r=run: r.process.poll() is not None or
                              asks_server(r.pid), 20, 'a call that sleeps')
                run.end(number, [-number])
            harness.until(lambda: not tracers(gate.pid), LIMIT, 'no tracer')
    return took()


def silent_names():
    """Addresses are to be named at the end: a later signal gives the names up, and nothing
    else."""
    program = 'syscall::read:entry { @[ustack()] = count(); } END { printf("end\\n"); }'
    for number in SIGNALS:
        with SilentFiles(harness.target('gate')) as files, Gate([files.path]) as gate:
            with Run('-q', '-x', 'switchrate=5ms', '-n',
                     program + 'tick-20ms /!n++/ { printf("on\\n"); }', '-p', gate.pid) as run:
                run.hear('on')
                for _ in range(10):
                    gate.work(1, 'same')
                files.be_silent()
                run.process.send_signal(number)
                time.sleep(0.6)
                harness.check(run.process.poll() is None, 'it ended: %s',
                              run.process.returncode)
                run.end(number, [1])
                harness.check('end\n' in run.out and re.search(r'^ +\d+$', run.out, re.M) and
                              'left out: names' in run.err, '%s\n%s', run.out, run.err)
            harness.check(not tracers(gate.pid), 'it is traced')
    return took()


def silent_output():
    """A file of the output, where nothing else can be done: dtrace ends, and says where it
    waited; the process is as before."""
    with Gate([harness.target('gate')]) as gate:
        before = text_of(gate.pid)
        for number in SIGNALS:
            with SilentFiles(harness.target('gate')) as files, \
                    Run('-x', 'switchrate=5ms', '-qwn', COUNT + 'tick-200ms { freopen("%s"); }' %
                        files.path, '-p', gate.pid) as run:
                run.hear('on')
                files.be_silent()
                harness.until(lambda r=run: asks_server(r.pid), 20, 'a call that sleeps')
                run.end(number, [1])
                harness.check('interrupted while it waited in the kernel (' in run.err,
                              'it says %s', run.err)
            harness.until(lambda: not tracers(gate.pid), LIMIT, 'no tracer')
            check_free(gate.pid, before)
            gate.work(10, 'same')
    return took()


harness.main({'reading': reading, 'preprocessing': preprocessing, 'listing': listing,
              'stopped_keeper': stopped_keeper, 'stopped_keeper_early': stopped_keeper_early,
              'stopped_keeper_of_command': stopped_keeper_of_command,
              'stopped_keeper_of_dead': stopped_keeper_of_dead, 'silent_keeper': silent_keeper,
              'stuck_reader': stuck_reader, 'stuck_reader_for': stuck_reader_for, 'slow_command': slow_command,
              'silent_program': silent_program, 'silent_names': silent_names,
              'silent_output': silent_output})
