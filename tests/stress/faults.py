#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each call that the keeper makes upon a target fails once: ptrace requests, accesses to
memory, system calls made in the target, /proc and memory files.

A first run counts the calls (tracer/keeper/os/faults.h), then one run each lets one fail.
Whatever fails, dtrace ends soon, and either nothing was lost or it says what; the target
lives on and does what it does untraced, with its own text, mappings, descriptors and
signal masks, untraced; no process is left. By default about POINTS calls of a class,
spread evenly; FAULTS_ALL=1: every one. FAULTS_ONLY=CLASS:NUMBER:ERRNO: that one.
"""
import errno
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
import ready  # noqa: E402

ALL = os.environ.get('FAULTS_ALL') == '1'
ONLY = os.environ.get('FAULTS_ONLY')
POINTS = int(os.environ.get('FAULTS_POINTS', '8'))
SECONDS = 12 * float(os.environ.get('STRESS_SLOWNESS', '1'))
ERRORS = {
    'ptrace': (errno.ESRCH, errno.EIO, errno.EPERM),
    'memory': (errno.EIO, errno.EFAULT),
    'call': (errno.ENOMEM, errno.EPERM, errno.EMFILE),
    'file': (errno.EMFILE, errno.ENOMEM),
}
# what no one may ever print
BROKEN = re.compile(r'assert|[Ss]anitizer|[Ss]egmentation|runtime error|keeper process has gone')


class Run:
    """One dtrace with one failure (or none); .hit says which call it was."""

    def __init__(self, arguments, fault, interrupted=False):
        self.mark = uuid.uuid4().hex
        self.arguments, self.fault = arguments, fault
        with tempfile.TemporaryDirectory(prefix='faults-') as folder:
            self.log = os.path.join(folder, 'log')
            self.data = os.path.join(folder, 'data')
            with open(os.path.join(folder, 'out'), 'w+b') as out, \
                    open(os.path.join(folder, 'err'), 'w+b') as err:
                self.out, self.err = out, err
                self.start(interrupted)
                self.stdout, self.stderr = harness.content(out), harness.content(err)
            lines = self.lines(self.log)
            self.counts = {line[1]: int(line[2]) for line in lines if line[0] == 'calls'}
            self.hit = ' '.join(next((line[1:] for line in lines if line[0] == 'hit'), []))
            self.result = self.lines(self.data)

    @staticmethod
    def lines(path):
        if not os.path.exists(path):
            return []
        with open(path, encoding='utf-8', errors='replace') as f:
            return [line.split() for line in f if line.strip()]

    def start(self, interrupted):
        environment = dict(os.environ, LC_ALL='C', HARNESS=self.mark,
                           DTRACE_FAULT_LOG=self.log, DTRACE_FAULT=self.fault or '')
        process = subprocess.Popen(
            [harness.DTRACE, '-x', 'switchrate=10ms', '-o', self.data, *self.arguments],
            stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.err, env=environment,
            start_new_session=True)
        try:
            if interrupted:
                self.wait_ready(process)
                process.send_signal(signal.SIGINT)
            self.status = process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.fail('dtrace does not end')
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        harness.until(lambda: not harness.marked(self.mark), 5,
                      'the end of ' + str(harness.marked(self.mark)))

    def wait_ready(self, process):
        harness.until(lambda: any('ready' in line for line in self.lines(self.data)) or
                      process.poll() is not None, SECONDS, 'the probes')

    def fail(self, what):
        raise harness.Failure('%s\nout: %s\nerr: %s' % (
            what, harness.content(self.out), harness.content(self.err)))

    def says_something(self):
        return re.search(r'^dtrace: (?!description|pid \d+ (has exited|exited)|'
                         r'allowing).*\w', self.stderr, re.M)

    def check(self):
        harness.check(self.status in (0, 1), 'status %d:\n%s', self.status, self.stderr)
        harness.check(not BROKEN.search(self.stderr), '%s', self.stderr)
        harness.check(self.status == 0 or self.says_something(), 'status 1, no word')


def points(counts):
    """The failures to be tried, spread over all calls that were counted."""
    if ONLY:
        yield ONLY
        return
    for name, errors in ERRORS.items():
        count = counts.get(name, 0)
        step = 1 if ALL else max(1, count / POINTS)
        at = 1 + (0 if ALL else step / 2)
        number = 0
        while at <= count:
            yield '%s:%d:%d' % (name, int(at), errors[number % len(errors)])
            at, number = at + step, number + 1


def try_all(counts, one):
    """one(fault) for each; all that fail are reported."""
    failures, tried, hits = [], 0, 0
    for fault in points(counts):
        tried += 1
        try:
            hits += bool(one(fault))
        except harness.Failure as failure:
            failures.append('FAULTS_ONLY=%s: %s' % (fault, failure))
    harness.check(not failures, '%d of %d failures made were not survived:\n%s',
                  len(failures), tried, '\n'.join(failures))
    return '%s, %d made, %d reached' % (counts, tried, hits)


def created(provider):
    """A program of -c that does a little of everything."""
    program = ('P$target:a.out:work:entry, P$target:a.out:work:return, P$target:a.out:mix:, '
               'P$target:*plugin*:plugged:entry { @[probefunc, probename] = count(); } '
               'proc:::signal-handle, proc:::create, syscall::execve:entry '
               '{ @[probefunc, probename] = count(); }').replace('P$', provider + '$')
    command = '%s %s' % (harness.target('varied'), plugin())
    arguments = ['-Z', '-n', program, '-c', command]
    untraced = subprocess.run(command.split(), stdout=subprocess.PIPE, check=True)
    expected = untraced.stdout.decode()
    first = Run(arguments, None)
    first.check()
    harness.check(first.status == 0 and first.stdout == expected, 'without failures: %s\n%s',
                  first.stdout, first.stderr)

    def one(fault):
        run = Run(arguments, fault)
        run.check()
        refused = run.status == 1 and run.stdout == ''
        harness.check(run.stdout == expected or refused, 'the target printed (%s):\n%s%s',
                      run.hit, run.stdout, run.stderr)
        harness.check(run.says_something() or sorted(run.result) == sorted(first.result),
                      'other counts without a word (%s): %s\n%s', run.hit,
                      unlike(first.result, run.result), run.stderr)
        return run.hit

    return try_all(first.counts, one)


def unlike(before, now):
    """What only one of two lists has."""
    if not isinstance(before, list) or not isinstance(now, list):
        return 'not the same'
    return ' '.join(['-' + str(x) for x in before if x not in now] +
                    ['+' + str(x) for x in now if x not in before])


def plugin():
    names = [n for n in os.listdir(harness.TARGETS) if re.match(r'(lib)?plugin.*\.so$', n)]
    harness.check(names, 'no plugin in %s', harness.TARGETS)
    return os.path.join(harness.TARGETS, names[0])


class Patient:
    """The program that is attached to, and what must be as it was."""

    def __init__(self):
        self.out = tempfile.TemporaryFile('w+')
        self.process = subprocess.Popen([harness.target('patient')], stdout=self.out,
                                        stdin=subprocess.DEVNULL, start_new_session=True)
        self.pid = self.process.pid
        harness.until(lambda: ready.waits(self.pid), 10, 'the program')
        self.turns = 0
        self.report()
        self.before = self.state()

    def place(self, name):
        return '/proc/%d/%s' % (self.pid, name)

    def state(self):
        """{what: value} of everything that tracing may not change."""
        found = {'fds': sorted(os.listdir(self.place('fd')))}
        with open(self.place('maps'), encoding='utf-8') as f:
            maps = f.read().splitlines()
        found['maps'] = maps
        with open(self.place('mem'), 'rb', buffering=0) as memory:
            for line in maps:
                start, end = (int(a, 16) for a in line.split()[0].split('-'))
                if 'x' in line.split()[1] and '[vsyscall]' not in line:
                    memory.seek(start)
                    found['text ' + line] = memory.read(end - start)
        for tid in os.listdir(self.place('task')):
            with open(self.place('task/%s/status' % tid), encoding='utf-8') as f:
                text = f.read()
            found['thread ' + tid] = re.findall(
                r'^(?:TracerPid|SigBlk|SigIgn|SigCgt|Cpus_allowed):.*', text, re.M)
        return found

    def report(self):
        """It answers, goes on, and its children live."""
        before = harness.content(self.out).count('\n')
        os.kill(self.pid, signal.SIGUSR1)
        harness.until(lambda: harness.content(self.out).count('\n') > before or
                      self.process.poll() is not None, 5, 'an answer of the target')
        harness.check(self.process.poll() is None, 'the target died: %s',
                      self.process.returncode)
        turns, good, born = map(int, re.findall(r'\d+', harness.content(
            self.out).splitlines()[-1]))
        harness.check(good == born, 'children died: %d of %d', born - good, born)
        harness.check(turns > self.turns or not self.turns, 'it stands still')
        self.turns = turns

    def differences(self):
        now = self.state()
        return ['%s: %s' % (key, unlike(self.before.get(key), now.get(key)))
                for key in sorted(set(now) | set(self.before))
                if now.get(key) != self.before.get(key)]

    def verify(self):
        harness.check(self.process.poll() is None, 'the target died: %s',
                      self.process.returncode)
        deadline = time.monotonic() + 2
        found = self.differences()
        while found and time.monotonic() < deadline:
            time.sleep(0.01)
            found = self.differences()
        harness.check(not found, 'changed: %s', found)
        self.report()

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.out.close()


def attached(provider, interrupted):
    # the first tick comes 100 ms after the sites are set: there are hits by then
    program = ('tick-100ms /!ticks++/ { printf("ready\\n"); } '
               'P$target:a.out:work:entry, P$target:a.out:work:return, P$target:a.out:mix: '
               '{ @[probefunc, probename] = count(); } ').replace('P$', provider + '$')
    if not interrupted:
        program += 'tick-250ms { exit(0); }'
    patients = [Patient()]

    def trace(fault):
        run = Run(['-n', program, '-p', str(patients[0].pid)], fault, interrupted)
        run.check()
        return run

    def one(fault):
        hit = ''
        try:
            run = trace(fault)
            hit = run.hit
            patients[0].verify()
        except harness.Failure as failure:
            patients[0].stop()
            patients[0] = Patient()
            raise harness.Failure('%s (%s)' % (failure, hit)) from None
        return hit

    try:
        first = trace(None)
        patients[0].verify()
        harness.check(first.status == 0, 'without failures: %s', first.stderr)
        return try_all(first.counts, one)
    finally:
        patients[0].stop()


harness.main({
    'created_pid': lambda: created('pid'),
    'created_fpid': lambda: created('fpid'),
    'attached_pid': lambda: attached('pid', False),
    'attached_fpid': lambda: attached('fpid', False),
    'interrupted_pid': lambda: attached('pid', True),
    'interrupted_fpid': lambda: attached('fpid', True),
})
