#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Targets that keep whoever waits for them waiting. An innocent process is traced beside
each: its counts are exact, and the end comes soon."""
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
from attached import text_of, tracers  # noqa: E402

CALLS = 1500  # of the innocent process, one each ms
END = 3  # s, from Ctrl-C to the end of dtrace
LAST = 5  # s, from the death of dtrace to that of its keeper
# s: a stalled read, and the waiting for a thread, before others get their turn
PAUSE = 1.5


class Target:
    """A program of tests/targets/life that says "ready"."""

    def __init__(self, name, *args):
        self.process = subprocess.Popen([harness.target(name)] + list(args), text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        start_new_session=True)
        self.pid = self.process.pid
        line = self.process.stdout.readline()
        if not line and self.process.wait(5) == 77:
            raise harness.Skipped('%s %s is not permitted' % (name, args))
        harness.check(line == 'ready\n', '%s says %r', name, line)

    def tell(self):
        self.process.stdin.write('x')
        self.process.stdin.flush()

    def hear(self):
        return self.process.stdout.readline().strip()

    def end(self):
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except OSError:
            pass  # none of its processes is left
        self.process.wait()


class Traced:
    """dtrace with a hostile and an innocent process, until the end of the with block."""

    def __init__(self, hostile, script):
        self.hostile, self.innocent = hostile, Target('innocent', str(CALLS))
        self.before = text_of(hostile.pid), text_of(self.innocent.pid)
        script += (' fpid%d:a.out:work:entry { @n["jump"] = count(); }'
                   ' pid%d:a.out:work:entry { @n["breakpoint"] = count(); }'
                   ' tick-10ms /!ticks++/ { printf("on\\n"); }' % ((self.innocent.pid,) * 2))
        self.dtrace = subprocess.Popen(
            [harness.DTRACE, '-x', 'switchrate=20ms', '-n', script, '-p',
             str(hostile.pid), '-p', str(self.innocent.pid)], text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True)
        line = '?'
        while line and not line.endswith('on\n'):
            line = self.dtrace.stdout.readline()
        harness.check(line, 'dtrace ended: %s', self.dtrace.poll())
        self.keepers = tracers(self.innocent.pid)
        harness.check(len(self.keepers) == 1, 'it is traced by %s', self.keepers)

    def check_innocent(self):
        """It makes its calls, and none takes long."""
        self.innocent.tell()
        calls, longest = self.innocent.hear().split()
        harness.check(int(calls) == CALLS, 'it made %s calls', calls)
        harness.check(int(longest) < PAUSE * 1e6, 'a call took %s us', longest)

    def finish(self):
        """Ctrl-C. The output of dtrace."""
        start = time.monotonic()
        self.dtrace.send_signal(signal.SIGINT)
        try:
            out, err = self.dtrace.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            raise harness.Failure('dtrace does not end')
        took = time.monotonic() - start
        harness.check(took < END, 'the end took %.2f s', took)
        harness.check(self.dtrace.returncode == 0, 'dtrace: %d %s', self.dtrace.returncode, err)
        for what in 'jump', 'breakpoint':
            found = re.search(r'^ *%s +(\d+)$' % what, out, re.M)
            harness.check(found and int(found.group(1)) == CALLS, 'counts: %s %s', out, err)
        self.check_no_keeper(time.monotonic())
        return out, err

    def check_no_keeper(self, start):
        left = max(start + LAST - time.monotonic(), 0.1)
        harness.until(lambda: not any(alive(k) for k in self.keepers), left,
                      'the end of the keeper')

    def check_text(self):
        """The bytes of the hostile process are its own again."""
        after = text_of(self.hostile.pid)
        changed = [line for line in self.before[0]
                   if line in after and self.before[0][line] != after[line]]
        harness.check(not changed, 'bytes differ in %s', changed)
        harness.check(not tracers(self.hostile.pid), 'it is still traced')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.dtrace.poll() is None:
            self.dtrace.kill()
        self.dtrace.wait()
        self.innocent.end()
        for k in self.keepers:
            if alive(k):
                os.kill(k, signal.SIGKILL)
        self.hostile.end()


def alive(pid):
    try:
        with open('/proc/%d/stat' % pid, encoding='utf-8') as f:
            return f.read().rsplit(')', 1)[1].split()[0] not in 'ZX'
    except OSError:
        return False


STALLED = ('pid$target:a.out:take:entry { this->s = copyinstr(arg0); @n["read"] = count(); } '
           'pid$target:a.out:take:entry { @n["take"] = count(); } '
           'ERROR { @n["fault"] = count(); }')


def stalled(how):
    """A page that does not come is an invalid address, for that clause alone."""
    with Traced(Target('stalled', how), STALLED) as traced:
        time.sleep(0.5)
        traced.check_innocent()
        out, _ = traced.finish()
        found = dict(re.findall(r'^ *(\w+) +(\d+)$', out, re.M))
        if how != 'flap':
            harness.check('read' not in found, 'it was read: %s', out)
            harness.check(int(found['fault']) == int(found['take']) > 100, 'faults: %s', out)
        harness.check(traced.hostile.process.poll() is None, 'it died')
        traced.check_text()


def stalled_killed(how):
    """The front is killed while a read is under way."""
    with Traced(Target('stalled', how), STALLED) as traced:
        time.sleep(0.3)
        traced.dtrace.kill()
        traced.check_no_keeper(time.monotonic())
        traced.check_text()


STUBBORN = 'fpid$target:a.out:work:entry { @n["hostile"] = count(); } '
PROFILE = STUBBORN + 'profile-199 /pid == $target/ { @n["sample"] = count(); }'


def change(traced):
    traced.hostile.tell()
    line = traced.hostile.hear()
    harness.check(line == 'changed', 'it says %r, %s', line, traced.hostile.process.poll())
    time.sleep(0.1)


def stubborn(how, script):
    """Threads that never come out of resident code are left to themselves."""
    with Traced(Target('stubborn', how), script) as traced:
        change(traced)
        traced.check_innocent()
        _, err = traced.finish()
        harness.check(re.search(r'pid %d\b.*stubborn' % traced.hostile.pid, err),
                      'it is not named: %s', err)
        harness.check(traced.hostile.process.poll() is None, 'it died')
        traced.check_text()


def stubborn_killed(how, script):
    with Traced(Target('stubborn', how), script) as traced:
        change(traced)
        traced.dtrace.kill()
        traced.check_no_keeper(time.monotonic())
        traced.check_text()


def stopped_killed():
    """Stopped by SIGSTOP, it stays stopped."""
    with Traced(Target('stubborn', 'none'), PROFILE) as traced:
        os.kill(traced.hostile.pid, signal.SIGSTOP)
        traced.check_innocent()
        traced.dtrace.kill()
        traced.check_no_keeper(time.monotonic())
        with open('/proc/%d/stat' % traced.hostile.pid, encoding='utf-8') as f:
            state = f.read().rsplit(')', 1)[1].split()[0]
        harness.check(state == 'T', 'its state is %s', state)
        traced.check_text()


CASES = {'stopped_killed': stopped_killed}
for stall in 'page', 'flap', 'file':
    CASES['stalled_' + stall] = lambda how=stall: stalled(how)
    CASES['stalled_%s_killed' % stall] = lambda how=stall: stalled_killed(how)
for sleep in 'spin', 'pause', 'vfork':
    CASES['stubborn_' + sleep] = lambda how=sleep: stubborn(how, STUBBORN)
    CASES['stubborn_%s_sampled' % sleep] = lambda how=sleep: stubborn(how, PROFILE)
    CASES['stubborn_%s_killed' % sleep] = lambda how=sleep: stubborn_killed(how, PROFILE)

if __name__ == '__main__':
    harness.main(CASES)
