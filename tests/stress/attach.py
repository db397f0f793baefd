#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attach to a program under load, trace it, leave: many times in a row.

The program (tests/targets/life/busy.c) has 8 threads that make far more than 50,000 calls a
second, SIGALRM at 1 kHz and a fork a second. After every round it must run on, its
executable mappings must hold the same bytes, its mappings must be the same and no
thread may be traced. STRESS_ROUNDS sets the number of rounds (default 30), STRESS_SEED
the random moments.
"""
import fcntl
import os
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
import ready  # noqa: E402

ROUNDS = int(os.environ.get('STRESS_ROUNDS', '30'))
SEED = int(os.environ.get('STRESS_SEED', '0')) or int(time.time())
# The promise is 2 seconds; the sanitizers of a debug build take a multiple of time.
DETACH_SECONDS = 2 * float(os.environ.get('STRESS_SLOWNESS', '1'))
THREADS = 8
PROGRAM = ('BEGIN { printf("ready\\n"); } '
           'pid$target:a.out:work:entry, pid$target:a.out:on_alarm:entry '
           '{ @[probefunc] = count(); }')
if harness.PROVIDER == 'fpid':
    # every instruction of the busiest function too, and all returns, by jumps
    PROGRAM = PROGRAM.replace('pid$', 'fpid$') + (
        'fpid$target:a.out:work:[0-9a-f]*, fpid$target:a.out::return, '
        'fpid$target:libc.so.6::return { @sites[probename] = count(); } '
        # machine code, where no other probe is: keys, variables, histograms
        'fpid$target:libc.so.6::return { self->n++; n = self->n; @by[tid & 7] = sum(self->n); '
        'self->since = timestamp; @time = quantize(self->since & 0xffff); } '
        # the same without a stack
        'fpid$target:libc.so.6:m*:entry { @light[arg0 & 7] = count(); } '
        'fpid$target:libc.so.6:s*:entry /arg0 & 1/ { odd = arg0; } '
        'fpid$target:libc.so.6:c*:entry { self->c++; }')


class Busy:
    """The program under load, and what must be as it was."""

    def __init__(self):
        self.out = tempfile.TemporaryFile('w+')
        self.process = subprocess.Popen([harness.target('busy')], stdin=subprocess.DEVNULL,
                                        stdout=self.out, start_new_session=True)
        self.pid = self.process.pid
        harness.until(lambda: ready.waits(self.pid), 10, 'the program')
        self.calls = self.children = 0
        self.report()
        self.maps, self.text = self.mappings()

    def mappings(self):
        maps, text = [], {}
        with open('/proc/%d/maps' % self.pid, encoding='utf-8') as f:
            lines = f.read().splitlines()
        with open('/proc/%d/mem' % self.pid, 'rb', buffering=0) as memory:
            for line in lines:
                span, mode = line.split()[:2]
                maps.append(re.sub(r'\s+', ' ', line))
                if 'x' in mode and '[vsyscall]' not in line:
                    start, end = (int(a, 16) for a in span.split('-'))
                    memory.seek(start)
                    text[line] = memory.read(end - start)
        return maps, text

    def threads(self):
        return os.listdir('/proc/%d/task' % self.pid)

    def states(self):
        """Where its threads and its child are, for a failure to be understood."""
        lines = []
        pids = [str(self.pid)]
        with open('/proc/%d/task/%d/children' % (self.pid, self.pid), encoding='utf-8') as f:
            pids += f.read().split()
        for pid in pids:
            for tid in os.listdir('/proc/%s/task' % pid):
                place = '/proc/%s/task/%s/' % (pid, tid)
                with open(place + 'status', encoding='utf-8') as f:
                    found = re.findall(r'^(?:State|TracerPid|SigPnd|ShdPnd|SigBlk):.*',
                                       f.read(), re.M)
                try:
                    with open(place + 'syscall', encoding='utf-8') as f:
                        found.append(f.read().strip())
                except OSError as error:
                    found.append(str(error))
                lines.append(' '.join([pid, tid, *found]).replace('\t', ''))
        return '\n'.join(lines)

    def tracers(self):
        found = set()
        for tid in self.threads():
            with open('/proc/%d/task/%s/status' % (self.pid, tid), encoding='utf-8') as f:
                found.add(re.search(r'^TracerPid:\s*(\d+)', f.read(), re.M).group(1))
        return found - {'0'}

    def is_free(self):
        return self.process.poll() is not None or not self.tracers()

    def reports(self):
        return harness.content(self.out).splitlines()

    def report(self, is_traced=False):
        """Asks the program itself; it must have gone on calling and forking. Whether it
        finds its text the 'same' or 'changed'."""
        before = len(self.reports())
        os.kill(self.pid, signal.SIGUSR1)
        try:
            harness.until(lambda: len(self.reports()) > before or
                          self.process.poll() is not None, 10, 'an answer of the program')
        except harness.Failure as failure:
            raise harness.Failure('%s:\n%s' % (failure, self.states())) from None
        harness.check(self.process.poll() is None, 'the program died: status %s',
                      self.process.returncode)
        line = self.reports()[-1]
        m = re.fullmatch(r'text (\w+) calls (\d+) children (\d+)/(\d+)', line)
        harness.check(m and (is_traced or m.group(1) == 'same'), 'its own answer: %s', line)
        harness.check(m.group(3) == m.group(4), 'children died: %s', line)
        calls = int(m.group(2))
        # while hooks are set everything stands still for a moment
        harness.check(calls > self.calls or is_traced, 'it stands still at %d calls', calls)
        self.calls, self.children = calls, int(m.group(4))
        return m.group(1)

    def verify(self):
        harness.check(self.process.poll() is None, 'the program died: status %s',
                      self.process.returncode)
        harness.check(not self.tracers(), 'still traced by %s', self.tracers())
        maps, text = self.mappings()
        harness.check(maps == self.maps, 'the mappings differ: %s',
                      sorted(set(maps) ^ set(self.maps)))
        changed = [line for line in text if text[line] != self.text[line]]
        harness.check(not changed, 'bytes differ in %s', changed)
        harness.check(len(self.threads()) == THREADS + 1, '%d threads', len(self.threads()))
        self.report()

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.out.close()


class Tracing:
    """One dtrace attached to the program."""

    def __init__(self, busy):
        self.out = tempfile.TemporaryFile('w+', errors='replace')
        self.process = subprocess.Popen(
            [harness.DTRACE, '-q', '-x', 'switchrate=10ms', '-n', PROGRAM, '-p', str(busy.pid)],
            stdin=subprocess.DEVNULL, stdout=self.out, stderr=subprocess.STDOUT,
            start_new_session=True)

    def text(self):
        return harness.content(self.out)

    def wait_ready(self):
        harness.until(lambda: 'ready' in self.text() or self.process.poll() is not None,
                      20, 'the probes')
        harness.check(self.process.poll() is None, 'dtrace ended:\n%s', self.text())

    def end(self, sig, seconds):
        """Sends the signal and waits for the end of dtrace; how long that took."""
        self.process.send_signal(sig)
        try:
            return harness.until(lambda: self.process.poll() is not None, seconds,
                                 'the end after ' + sig.name)
        except harness.Failure as failure:
            self.process.kill()
            self.process.wait()
            raise harness.Failure('%s:\n%s' % (failure, self.text())) from None


class Waiting(Tracing):
    """Nobody reads what dtrace prints, so that soon all threads wait for room."""

    PROGRAM = ('pid$target:a.out:work:entry, pid$target:a.out:on_alarm:entry '
               '{ printf("%d\\n", tid); }').replace('pid$', harness.PROVIDER + '$')

    def __init__(self, busy):
        self.out = tempfile.TemporaryFile('w+', errors='replace')
        self.reader, writer = os.pipe()
        self.process = subprocess.Popen(
            [harness.DTRACE, '-q', '-x', 'bufpolicy=wait', '-x', 'bufwait=1h', '-b', '16k',
             '-n', self.PROGRAM, '-p', str(busy.pid)], stdin=subprocess.DEVNULL, stdout=writer,
            stderr=self.out, start_new_session=True)
        os.close(writer)

    def wait_full(self):
        """The pipe holds what it can; dtrace reads no more."""
        def is_full():
            size = fcntl.fcntl(self.reader, fcntl.F_GETPIPE_SZ)
            there = struct.unpack('i', fcntl.ioctl(self.reader, termios.FIONREAD, b'0000'))[0]
            return there > size // 2 or self.process.poll() is not None

        harness.until(is_full, 30, 'a full pipe')
        harness.check(self.process.poll() is None, 'dtrace ended:\n%s', self.text())

    def read(self):
        """Reads on, to the end."""
        def reads():
            while os.read(self.reader, 65536):
                pass

        thread = threading.Thread(target=reads)
        thread.start()
        return thread


def waited(busy, moments):
    """Threads that wait for room leave at once: at Ctrl-C, and when dtrace is killed."""
    tracing = Waiting(busy)
    try:
        tracing.wait_full()
        time.sleep(moments.uniform(0, 0.1))  # any moment
        if moments.random() < 0.5:
            tracing.end(signal.SIGKILL, 5)
            return harness.until(busy.is_free, DETACH_SECONDS, 'freed by the keeper'), 0
        thread = tracing.read()
        took = tracing.end(signal.SIGINT, DETACH_SECONDS * 5)
        thread.join()
        harness.check(tracing.process.returncode == 0, 'status %d:\n%s',
                      tracing.process.returncode, tracing.text())
        return took, 0
    finally:
        os.close(tracing.reader)


def interrupted(busy, moments):
    """Ctrl-C after a while; what was counted is printed."""
    tracing = Tracing(busy)
    tracing.wait_ready()
    harness.until(lambda: busy.report(is_traced=True) == 'changed', 10, 'breakpoints')
    time.sleep(moments.uniform(0.02, 0.15))  # calls are counted
    took = tracing.end(signal.SIGINT, DETACH_SECONDS * 5)
    harness.check(took <= DETACH_SECONDS, 'detaching took %.2f s', took)
    harness.check(tracing.process.returncode == 0, 'status %d:\n%s',
                  tracing.process.returncode, tracing.text())
    counted = harness.counts(tracing.text())
    harness.check(counted.get('work', 0) > 0, 'nothing counted:\n%s', tracing.text())
    return took, counted['work']


def killed(busy, moments):
    """kill -9: once while tracing, once at any moment, also while attaching."""
    tracing = Tracing(busy)
    if moments.random() < 0.5:
        tracing.wait_ready()
        time.sleep(moments.uniform(0, 0.1))  # any moment
    else:
        time.sleep(moments.uniform(0, 0.3))
    tracing.end(signal.SIGKILL, 5)
    return harness.until(busy.is_free, DETACH_SECONDS, 'freed by the keeper'), 0


def rounds(one):
    moments = random.Random(SEED)
    busy = Busy()
    slowest, hits = 0, 0
    start = time.monotonic()
    try:
        for number in range(ROUNDS):
            try:
                took, counted = one(busy, moments)
                busy.verify()
            except harness.Failure as failure:
                raise harness.Failure('round %d of %d (STRESS_SEED=%d): %s' % (
                    number + 1, ROUNDS, SEED, failure)) from None
            slowest, hits = max(slowest, took), hits + counted
    finally:
        busy.stop()
    return '%d rounds in %.0f s, %d hits, slowest detach %.3f s' % (
        ROUNDS, time.monotonic() - start, hits, slowest)


def load():
    """Every call under load is counted: not fewer than the program made between two
    reports while it was traced, not more than it made in all. How many a second depends
    on the machine: 50,000 are expected, and shown."""
    busy = Busy()
    try:
        untraced = busy.calls
        tracing = Tracing(busy)
        tracing.wait_ready()  # and soon after it the breakpoints are set
        harness.until(lambda: busy.report(is_traced=True) == 'changed', 10, 'breakpoints')
        before = busy.calls
        start = time.monotonic()
        time.sleep(2)  # the time of the load
        busy.report(is_traced=True)
        seconds = time.monotonic() - start
        least = busy.calls - before
        harness.check(least > 0, 'it stands still at %d calls', before)
        tracing.end(signal.SIGINT, DETACH_SECONDS * 5)
        busy.verify()
        most = busy.calls - untraced
    finally:
        busy.stop()
    counted = harness.counts(tracing.text()).get('work', 0)
    # each thread may be between the probe and the program's own count
    harness.check(least - THREADS <= counted <= most + THREADS,
                  'counted %d calls of %d to %d:\n%s', counted, least, most, tracing.text())
    return '%d hits a second' % (least / seconds)


harness.main({'interrupt': lambda: rounds(interrupted), 'kill': lambda: rounds(killed),
              'load': load, 'wait': lambda: rounds(waited)})
