# SPDX-License-Identifier: MIT
"""Tracing of processes that run already, and what they must be like afterwards."""
import os
import re
import signal
import subprocess
import time

import harness


def executable_mappings(pid):
    """Lines of the maps whose text can be read."""
    with open('/proc/%d/maps' % pid, encoding='utf-8') as maps:
        return [line.rstrip('\n') for line in maps
                if 'x' in line.split()[1] and '[v' not in line]


def text_of(pid):
    """{mapping: its bytes}: only for a process that maps nothing at the moment."""
    text = {}
    with open('/proc/%d/mem' % pid, 'rb', buffering=0) as memory:
        for line in executable_mappings(pid):
            start, end = (int(a, 16) for a in line.split()[0].split('-'))
            memory.seek(start)
            text[line.replace(' (deleted)', '')] = memory.read(end - start)
    return text


def tracers(pid):
    """Who traces its threads."""
    found = set()
    for tid in os.listdir('/proc/%d/task' % pid):
        with open('/proc/%d/task/%s/status' % (pid, tid), encoding='utf-8') as f:
            found.add(int(re.search(r'^TracerPid:\s*(\d+)', f.read(), re.M).group(1)))
    return found - {0}


def start_tracing(pid, program, *options):
    """dtrace -p with the program, when it has set its sites. pid$ means the provider of the test."""
    process = subprocess.Popen(
        [harness.DTRACE, '-x', 'switchrate=10ms', *options, '-n',
         program.replace('pid$', harness.PROVIDER + '$') +
         'tick-10ms /!on++/ { printf("on\\n"); }', '-p', str(pid)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        encoding='utf-8')
    for line in process.stdout:
        if line.endswith('on\n'):
            return process
    raise harness.Failure('dtrace ended: ' + process.communicate()[1])


def check_free(pid, before):
    """No thread is traced and the text is what it was."""
    harness.check(not tracers(pid), '%d still traced by %s', pid, tracers(pid))
    after = text_of(pid)
    harness.check(set(after) == set(before), '%d: mappings %s', pid, set(after) ^ set(before))
    changed = [line for line in before if before[line] != after[line]]
    harness.check(not changed, '%d: bytes differ in %s', pid, changed)


class Attached:
    """dtrace -p for the time of a with block; afterwards each process that still runs is
    free and its text as before. In program 'pid$target' is the first process and
    PROVIDER stands for the provider's name."""

    def __init__(self, pids, program, options=()):
        self.pids, self.before, self.options = pids, {}, list(options)
        if harness.PROVIDER == 'fpid':
            program = re.sub(r'(?<!\w)pid(?=\$)', 'fpid', program)
        self.program = program.replace('PROVIDER', harness.PROVIDER)
        self.out = self.err = self.process = None

    def __enter__(self):
        self.before = {pid: text_of(pid) for pid in self.pids}
        command = [harness.DTRACE, '-x', 'switchrate=20ms', *self.options, '-n',
                   # the sites are set after BEGIN
                   self.program + ' tick-20ms /!ticks_of_test++/ { printf("on\\n"); }']
        for pid in self.pids:
            command += ['-p', str(pid)]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        start_new_session=True)
        for line in self.process.stdout:
            if line.endswith('on\n'):
                return self
        raise harness.Failure('dtrace ended: ' + self.process.communicate()[1])

    def end(self):
        """Ctrl-C: counts and errors are in out and err."""
        start = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            self.out, self.err = self.process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise harness.Failure('dtrace hangs') from None
        took = time.monotonic() - start
        harness.check(self.process.returncode == 0, 'dtrace: %d %s', self.process.returncode,
                      self.err)
        faults = re.findall(r'.*(?:\bdrops?\b|error on enabled probe|processing aborted).*',
                            self.err)
        harness.check(not faults, 'dtrace complains: %s', faults)
        for pid in self.pids:
            if os.path.exists('/proc/%d/exe' % pid) and os.path.exists('/proc/%d/maps' % pid):
                try:
                    os.readlink('/proc/%d/exe' % pid)
                except OSError:
                    continue  # a zombie
                check_free(pid, self.before[pid])
        return took

    def counts(self):
        return harness.counts(self.out)

    def __exit__(self, kind, *_):
        if kind is None and self.out is None:
            self.end()
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


class Gate:
    """The test program gate: calls work() as often as the test asks."""

    def __init__(self, command, **kwargs):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, text=True,
                                        stdout=subprocess.PIPE, **kwargs)
        line = self.process.stdout.readline()
        harness.check(line.startswith('ready '), 'it says %r', line)
        self.pid = self.process.pid
        self.inner = int(line.split()[1])  # in its own pid namespace
        self.calls = 0

    def work(self, turns, text):
        """Calls work(); it finds its text as expected, 'same' or 'changed'."""
        self.process.stdin.write('%d\n' % turns)
        self.process.stdin.flush()
        self.calls += turns
        line = self.process.stdout.readline()
        harness.check(line == 'text %s work %d\n' % (text, self.calls), 'it says %r', line)

    def end(self):
        """With the exit status that it always has."""
        self.process.stdin.close()
        status = self.process.wait(10)
        harness.check(status == 3, 'it ended with %d', status)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def child_of(pid):
    """The only child of a process, once there is one."""
    path = '/proc/%d/task/%d/children' % (pid, pid)
    found = []

    def has_child():
        with open(path, encoding='utf-8') as f:
            found[:] = f.read().split()
        return found
    harness.until(has_child, 10, 'a child of %d' % pid)
    return int(found[0])
