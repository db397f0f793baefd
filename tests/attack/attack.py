# SPDX-License-Identifier: MIT
"""What the tests of hostile targets share: two programs that are traced at the same time,
and what must hold afterwards whatever the hostile one did.

With Scene(...) as scene: the innocent program (targets/gate.c) and the hostile one
(attack/hostile.c) run, dtrace traces both. scene.order() has the hostile one do something. At
the end of the block:

- dtrace and probekeeper have survived: the same processes, no report of a sanitizer;
- neither ever had more than MEMORY_MAX resident;
- dtrace ended within end_seconds() of SIGINT with status 0, and probekeeper with it;
- no message has a figure that cannot be, and there are no other files than scene.files;
- the innocent program's calls were counted exactly, it ran without delay all the time, and
  its text is what it was, also in the middle of the run for the program itself afterwards.
"""
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'real'))
import attached  # noqa: E402
import harness  # noqa: E402

HANGS_SECONDS = 30  # then it is killed
ATTACH_SECONDS = 30
MEMORY_MAX = 1 << 30
KILL_ABOVE = 2 << 30  # for the machine's sake
ANSWER_SECONDS = 20  # of the innocent program for one order
FIGURES_PER_SECOND = 64e9  # what some threads may count in a second, at most
REPORT = re.compile(r'Sanitizer|runtime error|Assertion|SUMMARY:')

INNOCENT = 'fpid$target:a.out:work:entry { @innocent["innocent"] = count(); } '
PRINTS_CALLS = 'fpid$target:a.out:work:entry { printf("innocent call\\n"); } '


def end_seconds():
    """The promise is 3 s; a machine that other tests share takes longer, the sanitizers too."""
    return float(os.environ.get('ATTACK_END_SECONDS', '25' if harness.is_small() else '10'))


def status_word(pid, word):
    """A number of /proc/PID/status, 0 when the process is gone."""
    try:
        with open('/proc/%d/status' % pid, encoding='utf-8') as f:
            m = re.search(r'^%s:\s*(\d+)' % word, f.read(), re.M)
        return int(m.group(1)) if m else 0
    except OSError:
        return 0


def is_running(pid):
    try:
        with open('/proc/%d/stat' % pid, encoding='utf-8') as f:
            return f.read().rsplit(')', 1)[1].split()[0] not in 'ZX'
    except OSError:
        return False


def keeper_of(pid):
    """The probekeeper of a dtrace; 0: none."""
    for child in re.findall(r'\d+', open('/proc/%d/task/%d/children' % (pid, pid),
                                         encoding='utf-8').read()):
        with open('/proc/%s/comm' % child, encoding='utf-8') as f:
            if f.read().strip() == 'probekeeper':
                return int(child)
    return 0


def where(pid):
    """What each thread of a process does: for a failure's report."""
    lines = []
    for tid in os.listdir('/proc/%d/task' % pid) if is_running(pid) else []:
        for name in ('comm', 'wchan', 'syscall', 'stack'):
            try:
                with open('/proc/%d/task/%s/%s' % (pid, tid, name), encoding='utf-8') as f:
                    lines.append('%s %s: %s' % (tid, name, f.read().strip()))
            except OSError:
                pass
    return '\n'.join(lines)


class Refused(harness.Failure):
    """dtrace did not begin, in order: status 1 and a message."""


class Hostile:
    """The program hostile. It may die: then it answers no more."""

    def __init__(self, command=None):
        self.process = subprocess.Popen(command or [harness.target('hostile')],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        start_new_session=True)
        self.pid = self.process.pid
        harness.check(self.process.stdout.readline() == 'ready\n', 'hostile does not start')

    def order(self, line, seconds=5):
        """Its answer; '' when it is dead or does not answer in time."""
        try:
            self.process.stdin.write(line + '\n')
            self.process.stdin.flush()
        except OSError:
            return ''
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        return self.process.stdout.readline() if ready else ''

    def end(self):
        self.process.kill()
        self.process.communicate()


class Watch(threading.Thread):
    """The most memory that dtrace and probekeeper ever had resident."""

    def __init__(self, pids):
        super().__init__(daemon=True)
        self.pids, self.most, self.is_over = pids, 0, threading.Event()
        self.start()

    def run(self):
        while not self.is_over.wait(0.02):
            for pid in self.pids:
                size = status_word(pid, 'VmHWM') * 1024
                self.most = max(self.most, size)
                if size > KILL_ABOVE and is_running(pid):
                    os.kill(pid, signal.SIGKILL)


class Scene:
    """See the head. `program` is what is traced beside the innocent program's counts;
    HOSTILE in it stands for the process number of the hostile one, which does the orders
    `before` before dtrace starts."""

    def __init__(self, program, options=(), hostile=None, before=(), calls=300):
        self.program, self.options, self.calls = program, list(options), calls
        self.prints_calls = False  # of the innocent program; each must be printed once
        self.has_variables = True  # D variables: processes of other users get breakpoints
        self.files = {'out', 'err'}  # that may come to be
        self.start = time.monotonic()
        self.hostile_command, self.orders_before = hostile, before
        self.folder = tempfile.TemporaryDirectory(prefix='attack-')
        self.notes = []
        self.gate = self.hostile = self.dtrace = self.watch = None
        self.keeper = self.calls_traced = 0
        self.env = {}
        self.is_over = False  # nothing is left to check
        self.ends_itself = False  # dtrace may end at any time
        self.out = ''
        self.slowest = self.took = self.attach_seconds = 0.0

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def content(self, name):
        with open(self.path(name), encoding='utf-8', errors='replace') as f:
            return f.read()

    def __enter__(self):
        self.gate = attached.Gate([harness.target('gate')])
        self.hostile = Hostile(self.hostile_command)
        for line in self.orders_before:
            self.order(line, 60)
        self.before = attached.text_of(self.gate.pid)
        program = INNOCENT + (PRINTS_CALLS if self.prints_calls else '') + self.program.replace('HOSTILE', str(self.hostile.pid))
        # the sites are set after BEGIN
        once = '/!ticks_of_test++/' if self.has_variables else ''
        program += ' tick-20ms %s { printf("on\\n"); }' % once
        # what a foreign action creates must be seen here
        with open(self.path('out'), 'w', encoding='utf-8') as out, \
                open(self.path('err'), 'w', encoding='utf-8') as err:
            self.dtrace = subprocess.Popen(
                [harness.DTRACE, '-x', 'switchrate=50ms', *self.options, '-n', program,
                 '-p', str(self.gate.pid), '-p', str(self.hostile.pid)],
                stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=self.folder.name,
                start_new_session=True, env=dict(os.environ, LC_ALL='C', **self.env))
        self.watch = Watch([self.dtrace.pid])
        try:
            self.attach_seconds = harness.until(
                lambda: self.is_on() or not is_running(self.dtrace.pid),
                ATTACH_SECONDS, 'dtrace traces')
            self.check_begun()
            self.keeper = keeper_of(self.dtrace.pid)
            harness.check(self.keeper, 'no probekeeper')
            self.watch.pids.append(self.keeper)
            self.innocent_works()
        except BaseException:
            self.clean_up()
            raise
        return self

    def is_on(self):
        """With the buffer policies ring and fill nothing is printed before the end."""
        if not {'bufpolicy=ring', 'bufpolicy=fill'} & set(self.options):
            return 'on\n' in self.content('out')
        if attached.text_of(self.gate.pid) == self.before:
            return False
        time.sleep(0.5)
        return True

    def check_begun(self):
        if is_running(self.dtrace.pid):
            return
        status = self.dtrace.wait()
        if self.ends_itself and status == 0:
            raise Refused('it is over')
        harness.check(status == 1 and self.content('err') and not REPORT.search(
            self.content('err')), 'dtrace ended with %s\n%s', status, self.report())
        harness.check(self.watch.most < MEMORY_MAX, '%d MB of memory', self.watch.most >> 20)
        raise Refused('%d MB; %s' % (self.watch.most >> 20, self.content('err').strip()[-200:]))

    def order(self, line, seconds=5):
        answer = self.hostile.order(line, seconds).strip()
        self.notes.append(answer or '%s: no answer' % line)
        return answer

    def innocent_works(self):
        """It is not held up."""
        if self.ends_itself:
            return
        gate, start = self.gate.process, time.monotonic()
        gate.stdin.write('%d\n' % self.calls)
        gate.stdin.flush()
        self.gate.calls += self.calls
        ready, _, _ = select.select([gate.stdout], [], [], ANSWER_SECONDS)
        harness.check(ready, 'the innocent program does not answer within %d s\n%s',
                      ANSWER_SECONDS, self.report())
        line = gate.stdout.readline()
        harness.check(line == 'text changed work %d\n' % self.gate.calls,
                      'the innocent program says %r\n%s', line, self.report())
        self.slowest = max(self.slowest, time.monotonic() - start)

    def lives(self, seconds=1.0, threads=True):
        """Time passes; both programs do things that the keeper takes part in."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.innocent_works()
            if threads and self.hostile.process.poll() is None:
                self.hostile.order('threads 3', 1)
            time.sleep(0.05)
            self.check_alive()

    def check_alive(self):
        if self.ends_itself:
            return
        harness.check(is_running(self.dtrace.pid), 'dtrace died: %s\n%s',
                      self.dtrace.poll(), self.report())
        harness.check(is_running(self.keeper), 'probekeeper died\n%s', self.report())

    def report(self):
        return 'orders: %s\nstdout:\n%s\nstderr:\n%s' % (
            '; '.join(self.notes), self.content('out')[-2000:], self.content('err')[-4000:])

    def interrupt(self):
        """SIGINT; how long it took."""
        if not is_running(self.dtrace.pid):
            self.dtrace.wait()
            return 0.0
        start = time.monotonic()
        self.dtrace.send_signal(signal.SIGINT)
        try:
            self.dtrace.wait(HANGS_SECONDS)
        except subprocess.TimeoutExpired:
            raise harness.Failure('dtrace hangs for %d s after SIGINT\n%s\n%s' % (
                HANGS_SECONDS, where(self.keeper), self.report())) from None
        took = time.monotonic() - start
        try:
            harness.until(lambda: not is_running(self.keeper), end_seconds(), '')
        except harness.Failure:
            raise harness.Failure(
                'probekeeper outlives dtrace, which ended after %.1f s\n%s\nhostile: %s\n%s' % (
                    took, where(self.keeper), where(self.hostile.pid), self.report())) from None
        return took

    def check_end(self, took):
        out, err = self.content('out'), self.content('err')
        harness.check(self.dtrace.returncode == 0, 'dtrace ended with %s\n%s',
                      self.dtrace.returncode, self.report())
        harness.check(not REPORT.search(err), 'a sanitizer reports\n%s', self.report())
        harness.check('probekeeper' not in err, 'dtrace lost probekeeper\n%s', self.report())
        harness.check(took <= end_seconds(), 'dtrace ended %.1f s after SIGINT', took)
        harness.check(self.watch.most < MEMORY_MAX, '%d MB of memory\n%s',
                      self.watch.most >> 20, self.report())
        counted = harness.counts(out).get('innocent', 0)
        harness.check(counted == self.gate.calls or self.ends_itself, 'counted %d of %d calls of the innocent\n%s',
                      counted, self.gate.calls, self.report())
        printed = out.count('innocent call\n')
        harness.check(printed == self.gate.calls or self.ends_itself or not self.prints_calls,
                      'printed %d of %d calls of the innocent\n%s', printed, self.gate.calls,
                      self.report())
        self.check_figures(err)
        made = set(os.listdir(self.folder.name)) - self.files
        harness.check(not made, 'files came to be: %s\n%s', made, self.report())
        self.out, self.calls_traced = out, self.gate.calls
        harness.check(self.gate.process.poll() is None, 'the innocent program died: %s\n%s',
                      self.gate.process.poll(), self.report())
        try:
            attached.check_free(self.gate.pid, self.before)
        except harness.Failure as failure:
            raise harness.Failure('%s\n%s' % (failure, self.report())) from None
        self.gate.work(10, 'same')
        self.gate.end()

    def check_figures(self, err):
        """No process counts that much in this time; addresses have letters or begin with 0x."""
        most = FIGURES_PER_SECOND * (time.monotonic() - self.start)
        absurd = [x for x in re.findall(r'(?<![\w.])\d+(?![\w])', err) if int(x) > most]
        harness.check(not absurd, 'impossible: %s\n%s', absurd, self.report())

    def __exit__(self, kind, *_):
        try:
            if kind is None and not self.is_over:
                self.check_alive()
                self.innocent_works()
                self.took = self.interrupt()
                self.check_end(self.took)
        finally:
            self.clean_up()

    def clean_up(self):
        if self.watch:
            self.watch.is_over.set()
        for process in (self.dtrace, self.hostile and self.hostile.process,
                        self.gate and self.gate.process):
            if process and process.poll() is None:
                process.kill()
                process.wait()
        if self.keeper and is_running(self.keeper):
            os.kill(self.keeper, signal.SIGKILL)
        self.folder.cleanup()

    def note(self):
        return '%d MB, ended after %.1f s, innocent waited %.1f s; %s' % (
            self.watch.most >> 20, self.took, self.slowest, '; '.join(self.notes[:6]))
