#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""dtrace, its keeper, or both are killed while a program runs into breakpoints all the time.

The program (tests/targets/life/hot.c) has four threads that check their own sums. It must
go on, with right sums, whoever was killed; protect memory, fork, and get its own SIGTRAP.
Its code is that of its files again, nothing of dtrace is mapped, and the semaphore of its
USDT probe is 0: at once if dtrace or the keeper lives, else after the next dtrace has
attached, once. DEATHS_ROUNDS (default 2) is how often each way is tried with each
program, DEATHS_SEED sets the random moments, DEATHS_ONLY chooses programs by name.
"""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..'))
import harness  # noqa: E402
from harness import DTRACE, check, until  # noqa: E402

ROUNDS = int(os.environ.get('DEATHS_ROUNDS', '2'))
SEED = int(os.environ.get('DEATHS_SEED', '0')) or int(time.time())
ONLY = os.environ.get('DEATHS_ONLY', '')
SECONDS = 10 * float(os.environ.get('STRESS_SLOWNESS', '1'))
SOURCE = os.path.join(HERE, '..', 'targets', 'life', 'hot.c')
with open(SOURCE, encoding='utf-8') as source:
    LINE = next(i for i, line in enumerate(source, 1) if 'the line that is traced' in line)
COUNT = ' { @ = count(); } tick-10ms /!n++/ { printf("on\\n"); }'
# name: probes, how the program treats SIGTRAP, options
PROGRAMS = {
    'pid': ('pid$target:a.out:leaf:entry, pid$target:a.out:caller:entry, '
            'pid$target:a.out:deep:return', '', ()),
    'all': ('pid$target:a.out:leaf:, pid$target:a.out:caller:, pid$target:a.out:deep:', '', ()),
    'blocked': ('pid$target:a.out:leaf:entry, pid$target:a.out:caller:entry', 'blocked', ()),
    'ignored': ('pid$target:a.out:leaf:entry, pid$target:a.out:caller:entry', 'ignored', ()),
    'handled': ('pid$target:a.out:leaf:entry, pid$target:a.out:caller:entry', 'handled', ()),
    'line': ('pid$target:a.out::hot.c@%d' % LINE, '', ()),
    'fpid': ('fpid$target:a.out:leaf:entry, fpid$target:a.out:caller:return, '
             'fpid$target:a.out:deep:entry', '', ()),
    'usdt': ('hot$target:::leaf', '', ()),
    'both': ('fpid$target:a.out:leaf:entry, pid$target:a.out:caller:entry, '
             'pid$target:a.out:deep:return', '', ()),
    'follow': ('pid$target:a.out:leaf:entry, pid$target:a.out:caller:entry', '',
               ('-x', 'follow')),
}


class Hot:
    def __init__(self, how):
        self.out = tempfile.TemporaryFile('w+')
        self.process = subprocess.Popen([harness.target('hot'), '4', how], stdout=self.out,
                                        stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        self.pid = self.process.pid
        until(lambda: 'ready' in self.text(), 10, 'the program')

    def text(self):
        return harness.content(self.out)

    def check_alive(self):
        status = self.process.poll()
        check(status is None, 'the program ended with %s: %s', status, self.text())

    def serve(self):
        """It does what a program does now and then."""
        before = self.text().count('served')
        os.kill(self.pid, signal.SIGUSR1)
        until(lambda: self.process.poll() is not None or self.text().count('served') > before,
              SECONDS, 'an answer')
        self.check_alive()
        return int(self.text().split()[-1])

    def differences(self):
        """What of its code is not as in its files."""
        found = []
        with open('/proc/%d/maps' % self.pid, encoding='utf-8') as maps, \
                open('/proc/%d/mem' % self.pid, 'rb', buffering=0) as memory:
            for line in maps:
                span, mode, offset, _, _, *name = line.split()
                if 'memfd' in line or 'x' in mode and not name:
                    found.append('mapped: ' + line)
                if 'x' not in mode or not name or name[0][0] in '[m' or 'memfd' in line:
                    continue
                start, end = (int(a, 16) for a in span.split('-'))
                memory.seek(start)
                with open(name[0], 'rb') as file:
                    file.seek(int(offset, 16))
                    text = file.read(end - start)
                if memory.read(end - start)[:len(text)] != text:
                    found.append('written to: ' + line)
        return ''.join(found)

    def end(self):
        """By SIGTERM, with its sums."""
        self.process.terminate()
        try:
            status = self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            raise harness.Failure('it does not end') from None
        check(status == 0 and '\nok ' in self.text(), 'it ended with %s: %s', status, self.text())

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.out.close()


def keepers(dtrace):
    path = '/proc/%d/task/%d/children' % (dtrace.pid, dtrace.pid)
    with open(path, encoding='utf-8') as f:
        return [int(pid) for pid in f.read().split()]


def trace(hot, probes, options, wait):
    """Attaches, and calls wait(dtrace) when the probes are there."""
    mark = uuid.uuid4().hex
    with tempfile.TemporaryFile('w+', errors='replace') as out:
        dtrace = subprocess.Popen([DTRACE, '-qn', probes + COUNT, '-p', str(hot.pid), *options],
                                  stdout=out, stderr=subprocess.STDOUT,
                                  stdin=subprocess.DEVNULL, env=dict(os.environ, HARNESS=mark))
        try:
            until(lambda: 'on\n' in harness.content(out) or dtrace.poll() is not None, 30,
                  'the probes')
            check(dtrace.poll() is None, 'dtrace ended: %s', harness.content(out))
            return wait(dtrace)
        finally:
            dtrace.kill()
            dtrace.wait()
            # a dtrace that has lost its keeper starts another one
            until(lambda: not harness.marked(mark), SECONDS, 'the end of the keepers')


def kill_all(dtrace, who, moments):
    """SIGKILL to those of the letters (d: dtrace, k: keeper), in this order."""
    pids = {'d': [dtrace.pid], 'k': keepers(dtrace)}
    check(pids['k'], 'there is no keeper')
    time.sleep(moments.uniform(0, 0.05))  # any moment
    for letter in who:
        for pid in pids[letter]:
            os.kill(pid, signal.SIGKILL)
    if who == 'k':  # it restores, says so and ends
        until(lambda: dtrace.poll() is not None, SECONDS, 'the end of dtrace')


def end_tracing(dtrace):
    dtrace.send_signal(signal.SIGINT)
    until(lambda: dtrace.poll() is not None, SECONDS, 'the end of dtrace')
    check(dtrace.returncode == 0, 'dtrace ended with %s', dtrace.returncode)


def one(name, who, moments):
    probes, how, options = PROGRAMS[name]
    hot = Hot(how)
    try:
        trace(hot, probes, options, lambda dtrace: kill_all(dtrace, who, moments))
        hot.check_alive()
        hot.serve()
        if len(who) == 2:
            trace(hot, 'pid$target:a.out:main:entry', (), end_tracing)
        check(not hot.differences(), 'left behind:\n%s', hot.differences())
        check(hot.serve() == 0, 'a semaphore is left: %s', hot.text())
        hot.end()
    finally:
        hot.kill()


def killed(*ways):
    moments = random.Random(SEED)
    done = 0
    for number in range(ROUNDS):
        for name in PROGRAMS:
            if ONLY and name not in ONLY.split(','):
                continue
            who = moments.choice(ways)
            try:
                one(name, who, moments)
            except harness.Failure as failure:
                raise harness.Failure('round %d (DEATHS_SEED=%d) of %s, %s killed: %s' % (
                    number + 1, SEED, name, who, failure)) from None
            done += 1
    return '%d programs went on' % done


if __name__ == '__main__':
    harness.main({'both': lambda: killed('dk', 'kd'), 'keeper': lambda: killed('k'),
                  'dtrace': lambda: killed('d')})
