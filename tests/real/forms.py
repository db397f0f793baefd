#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every form of probe and every way in which tracing ends: the program goes on undisturbed,
with its own code, and nothing is left behind.

A row is a form (FORMS; targets/life/forms.c has code for all of them, programs of Debian for
some), a column a way to end (ENDS). Each cell is tried by pid and by fpid, on a command and
on a process that runs. The moments are chosen at random (FORMS_SEED); FORMS_ROUNDS (default
1) is how often each cell is tried.
"""
import collections
import glob
import os
import random
import re
import select
import shlex
import signal
import struct
import subprocess
import sys
import tempfile
import time
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
from attached import tracers  # noqa: E402
from harness import DTRACE, check, until  # noqa: E402

ROUNDS = int(os.environ.get('FORMS_ROUNDS', '1'))
SEED = int(os.environ.get('FORMS_SEED', '0')) or int(time.time())
ONLY = os.environ.get('FORMS_ONLY', '')  # cells whose name has it
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'targets', 'life',
                      'forms.c')
LONG = 400  # rounds of work amid which tracing ends
FEW = 5
CHILD = 20  # rounds of a child

# probe: what fires once in each round. value: an expression, n: what it is in round n.
# is_late: probes are set some time after their code is there. by: what serves it under fpid.
Form = collections.namedtuple('Form', 'probe value n command options is_late by ends',
                              defaults=('1', lambda n: 1, 'forms', (), False, 'jumps', None))


def line_of(mark):
    with open(SOURCE, encoding='utf-8') as f:
        return next(i for i, line in enumerate(f, 1) if mark in line)


def sources(folder, name, text):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
    return path


# ---- the program ----

PYTHON = """
import os, sys
rounds = total = 0
def leaf(n):
    os.getppid()
    sys.audit('forms')
    return 13 * n + 6
def work(n):
    global rounds, total
    for i in range(n):
        total += leaf(rounds)
        rounds += 1
print('ready', os.getpid(), flush=True)
for line in sys.stdin:
    if line == 'exec\\n':
        os.execv(sys.executable, [sys.executable, __file__])
    if line == 'fork\\n':
        child = os.fork()
        if not child:
            rounds = total = 0
            work(20)
            os._exit(total != 13 * 190 + 120)
        print('child', os.waitpid(child, 0)[1], flush=True)
    else:
        work(int(line))
        print('done', rounds, total, 0, 'same', flush=True)
sys.exit(3)
"""
PHP = """<?php
$rounds = $total = 0;
function leaf($n) { return 13 * $n + 6; }
echo 'ready ', getmypid(), "\\n";
while (($line = fgets(STDIN)) !== false) {
    for ($i = 0; $i < (int)$line; $i++)
        $total += leaf($rounds++);
    echo "done $rounds $total 0 same\\n";
}
exit(3);
"""
NODE = """
const fs = require('fs');
let rounds = 0, total = 0;
function leaf(n) { return 13 * n + 6; }
function input() {
    const b = Buffer.alloc(32);
    return b.toString('latin1', 0, fs.readSync(0, b));
}
fs.writeSync(1, `ready ${process.pid}\\n`);
for (let line = input(); line; line = input()) {
    for (let i = parseInt(line); i > 0; i--)
        total += leaf(rounds++);
    fs.writeSync(1, `done ${rounds} ${total} 0 same\\n`);
}
process.exit(3);
"""
MONO = """
using System;
class Forms {
    static long rounds, total;
    [System.Runtime.CompilerServices.MethodImpl(
        System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
    static long Leaf(long n) { return 13 * n + 6; }
    static int Main() {
        Leaf(0);
        // it writes its list in pieces of 4096 bytes: more functions
        new System.Text.RegularExpressions.Regex("(a|b)+[c-e]*f?").IsMatch("abcdef");
        Console.WriteLine("ready " + System.Diagnostics.Process.GetCurrentProcess().Id);
        for (string line; (line = Console.ReadLine()) != null; ) {
            for (int i = int.Parse(line); i > 0; i--)
                total += Leaf(rounds++);
            Console.WriteLine("done " + rounds + " " + total + " 0 same");
        }
        return 3;
    }
}
"""
JAVA = """
import java.io.*;
import java.lang.management.ManagementFactory;
import javax.management.ObjectName;
public class Forms {
    static long rounds, total;
    static long leaf(long n) { return 13 * n + 6; }
    public static void main(String[] args) throws Exception {
        leaf(0);
        if (args.length == 0)  // as jcmd PID Compiler.perfmap does
            ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), "compilerPerfmap",
                null, null);
        System.out.println("ready " + ProcessHandle.current().pid());
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            for (int i = Integer.parseInt(line); i > 0; i--)
                total += leaf(rounds++);
            System.out.println("done " + rounds + " " + total + " 0 same");
        }
        System.exit(3);
    }
}
"""
RUBY = """
$stdout.sync = true
$rounds = $total = 0
def leaf(n)
    Process.ppid
    13 * n + 6
end
puts "ready #{Process.pid}"
while line = $stdin.gets
    if line == "fork\\n"
        child = fork do
            20.times { |n| leaf(n) }
            exit!(0)
        end
        Process.wait(child)
        puts "child #{$?.to_i}"
        next
    end
    line.to_i.times do
        $total += leaf($rounds)
        $rounds += 1
    end
    puts "done #{$rounds} #{$total} 0 same"
end
exit 3
"""
ERLANG = """
-module(forms).
-export([main/0, leaf/1]).
leaf(N) -> 13 * N + 6.
main() ->
    leaf(0),
    io:format("ready ~s~n", [os:getpid()]),
    next(0, 0).
next(Rounds, Total) ->
    case io:get_line("") of
        eof -> halt(3);
        Line -> work(list_to_integer(string:trim(Line)), Rounds, Total)
    end.
work(0, Rounds, Total) ->
    io:format("done ~b ~b 0 same~n", [Rounds, Total]),
    next(Rounds, Total);
work(N, Rounds, Total) ->
    work(N - 1, Rounds + 1, Total + leaf(Rounds)).
"""
KEPT = tempfile.TemporaryDirectory(prefix='forms-')  # of programs that are built


def mono():
    runtime, compiler = harness.installed('mono'), harness.installed('mcs')
    path = sources(KEPT.name, 'forms.cs', MONO)
    if not os.path.exists(path + '.exe'):
        done = harness.run([compiler, '-out:' + path + '.exe', path])
        check(done.status == 0, '%s', done)
    return [runtime, '--jitmap', path + '.exe']


def java_program():
    compiler = harness.installed('javac')
    path = sources(KEPT.name, 'Forms.java', JAVA)
    if not os.path.exists(os.path.join(KEPT.name, 'Forms.class')):
        done = harness.run([compiler, '-d', KEPT.name, path])
        check(done.status == 0, '%s', done)
    return ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', KEPT.name, 'Forms']


def java():
    return ['java', '-Xcomp', '-XX:CompileCommand=quiet',
            '-XX:CompileCommand=compileonly,Forms::leaf',
            '-XX:CompileCommand=dontinline,Forms::leaf', *java_program()]


def java_probes():
    return ['java', '-XX:+ExtendedDTraceProbes', *java_program(), 'without a map']


def erlang():
    runtime = harness.installed('erl')
    path = sources(KEPT.name, 'forms.erl', ERLANG)
    if not os.path.exists(os.path.join(KEPT.name, 'forms.beam')):
        done = harness.run([os.path.join(os.path.dirname(runtime), 'erlc'), '-o', KEPT.name, path])
        check(done.status == 0, '%s', done)
    return [runtime, '+JPperf', 'map', '-boot', 'no_dot_erlang', '-noshell', '-pa', KEPT.name,
            '-s', 'forms', 'main']


def python():
    if not os.path.exists('/usr/bin/python3.11'):
        raise harness.Skipped('no python3.11: apt-get install python3.11')
    return ['/usr/bin/python3.11', sources(KEPT.name, 'forms.py', PYTHON)]


COMMANDS = {
    'forms': lambda: [harness.target('forms'), harness.target('leaves.so'), 'map'],
    'dump': lambda: [harness.target('forms'), harness.target('leaves.so'), 'dump'],
    'python': python,
    'php': lambda: [harness.installed('php'), sources(KEPT.name, 'forms.php', PHP)],
    'node': lambda: [harness.installed('node'), '--perf-basic-prof', '--always-sparkplug',
                     '--no-opt', '--logfile=/dev/null', sources(KEPT.name, 'forms.js', NODE)],
    'mono': mono,
    'java': java,
    'java_probes': java_probes,
    'erlang': erlang,
    'ruby': lambda: [harness.installed('ruby'), '--disable=gems',
                     sources(KEPT.name, 'forms.rb', RUBY)]}


def check_files(pid):
    """Each executable mapping of a file has what the file has."""
    with open('/proc/%d/maps' % pid, encoding='utf-8') as f:
        lines = [line.split(None, 5) for line in f]
    with open('/proc/%d/mem' % pid, 'rb', buffering=0) as memory:
        for words in lines:
            path = words[5].strip() if len(words) > 5 else ''
            if 'x' not in words[1] or not os.path.isfile(path):
                continue
            start, end = (int(a, 16) for a in words[0].split('-'))
            memory.seek(start)
            with open(path, 'rb') as file:
                file.seek(int(words[2], 16))
                own = file.read(end - start)
            try:
                read = memory.read(end - start)[:len(own)]
            except OSError:  # beyond the end of a file
                read = memory.read(len(own) // 4096 * 4096)
                own = own[:len(read)]
            wrong = [i for i, (a, b) in enumerate(zip(own, read)) if a != b] \
                if own != read else ()
            check(not wrong, '%d bytes of %s differ, at %s', len(wrong), path,
                  [hex(int(words[2], 16) + i) for i in wrong[:5]])


def check_core(path):
    """It is whole: all of its segments are in the file."""
    with open(path, 'rb') as f:
        head = f.read(64)
        check(head[:4] == b'\x7fELF', '%s has %d bytes', path, os.path.getsize(path))
        where, = struct.unpack_from('<Q', head, 32)
        size, count = struct.unpack_from('<HH', head, 54)
        f.seek(where)
        rows = [struct.unpack('<IIQQQQQQ', f.read(size)[:56]) for _ in range(count)]
    end = max(row[2] + row[5] for row in rows)
    check(end <= os.path.getsize(path), '%s: %d bytes of %d', path, os.path.getsize(path), end)


def remove_lists():
    """Programs that were killed leave their lists of functions."""
    for path in glob.glob('/tmp/perf-*.map') + glob.glob('/tmp/jit-*.dump'):
        try:
            with open(path, 'rb') as f:
                is_ours = re.search(br'Forms.Worker|Forms:|Forms.leaf|forms-.*/forms.js|'
                                    br'\$forms:leaf', f.read())
            # a zombie has no executable
            if is_ours and not os.path.exists('/proc/%s/exe' % re.search(r'\d+', path).group()):
                os.unlink(path)
        except FileNotFoundError:
            pass


class Program:
    """The traced program, by its pipes: started here, or by dtrace."""

    def __init__(self, run, process, is_own):
        self.run, self.process, self.is_own = run, process, is_own
        self.pid, self.rounds, self.lines = 0, 0, b''

    def line(self):
        """The next line, '' at the end of its output."""
        deadline = time.monotonic() + 30
        out = self.process.stdout.fileno()
        while b'\n' not in self.lines:
            check(time.monotonic() < deadline, 'the program says no more: %r', self.lines)
            if select.select([out], [], [], 1)[0]:
                more = os.read(out, 4096)
                if not more:
                    return ''
                self.lines += more
        line, _, self.lines = self.lines.partition(b'\n')
        return line.decode()

    def say(self, what):
        self.process.stdin.write(b'%s\n' % str(what).encode())
        self.process.stdin.flush()

    def hear_ready(self):
        m = re.fullmatch(r'ready (\d+)', self.line())
        check(m, 'it is not ready: %s', self.run.state())
        check(self.pid in (0, int(m.group(1))), 'another process')
        self.pid, self.rounds = int(m.group(1)), 0

    def hear_done(self, n, ends=None):
        """The end of n rounds, done right; ends: or it ends."""
        line = self.line()
        if ends and not line:
            return False
        self.rounds += n
        r = self.rounds
        m = re.fullmatch(r'done %d %d (\d+) (\w+)' % (r, 13 * r * (r - 1) // 2 + 6 * r), line)
        check(m, 'after %d rounds it says %r: %s', r, line, self.run.state())
        self.semaphore, self.code = int(m.group(1)), m.group(2)
        return True

    def work(self, n):
        self.say(n)
        self.hear_done(n)

    def check_left(self):
        """It is traced no more and as it was; it goes on, and ends by itself."""
        until(lambda: not tracers(self.pid), 20, 'nobody traces it')
        check_files(self.pid)
        self.work(FEW)
        check((self.semaphore, self.code) == (0, 'same'), 'semaphore %d, its own code %s',
              self.semaphore, self.code)
        self.check_end(3)

    def check_end(self, status):
        """It ends with the status, a signal negative."""
        self.process.stdin.close()
        check(self.line() == '', 'it says more')
        if self.is_own:
            check(self.process.wait(20) == status, 'it ended with %s: %s',
                  self.process.returncode, self.run.state())


class Run:
    """dtrace with its program; at the end of the with block nothing may be left of both."""

    def __init__(self, form, provider, mode, moments):
        self.form, self.provider, self.mode = form, provider, mode
        self.moments = moments
        self.folder = tempfile.TemporaryDirectory(prefix='forms-')
        self.mark = 'HARNESS=' + uuid.uuid4().hex
        self.env = {**os.environ, 'LC_ALL': 'C', 'TMPDIR': self.folder.name + '/tmp',
                    'HARNESS': self.mark[8:], 'USE_ZEND_DTRACE': '1'}
        os.mkdir(self.env['TMPDIR'])
        self.data = os.path.join(self.folder.name, 'data')
        self.err = tempfile.TemporaryFile('w+', errors='replace')
        self.dtrace = self.program = None

    def popen(self, command, **kwargs):
        return subprocess.Popen(command, env=self.env, stderr=self.err, start_new_session=True,
                                cwd=self.folder.name, **kwargs)

    def command(self):
        return COMMANDS[self.form.command]()

    def text(self):
        f = self.form
        return ('%s { printf("+\\n"); @n = count(); } %s { @v = sum(%s); } '
                'tick-10ms /!on++/ { printf("on\\n"); } '
                'END { printa("counted %%@d %%@d\\n", @n, @v); }' % (
                    f.probe, f.probe.rpartition('} ')[2], f.value)
                ).replace('PROVIDER', self.provider)

    def start(self, *options, wait=True):
        """dtrace and its program, when probes are set."""
        words = [DTRACE, '-qZx', 'switchrate=10ms', '-o', self.data, *self.form.options,
                 *options, '-n', self.text()]
        pipes = {'stdin': subprocess.PIPE, 'stdout': subprocess.PIPE}
        if self.mode == '-c':
            self.dtrace = self.popen(words + ['-c', shlex.join(self.command())], **pipes)
            self.program = Program(self, self.dtrace, False)
            if wait:
                self.program.hear_ready()
            return
        self.program = Program(self, self.popen(self.command(), **pipes), True)
        self.program.hear_ready()
        self.program.work(FEW)
        self.dtrace = self.popen(words + ['-p', str(self.program.pid)],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        if wait:
            self.program.rounds_before = self.program.rounds
            until(lambda: 'on\n' in self.printed() or self.dtrace.poll() is not None, 30,
                  'the probes')

    def printed(self):
        try:
            with open(self.data, encoding='utf-8', errors='replace') as f:
                return f.read()
        except FileNotFoundError:
            return ''

    def hits(self):
        return self.printed().count('+\n')

    def state(self):
        return 'dtrace %s, program %s, %d hits\n%s%s' % (
            self.dtrace and self.dtrace.poll(),
            self.program and self.program.process.poll(), self.hits(),
            harness.content(self.err)[-2000:], self.printed()[-200:])

    def keeper(self):
        with open('/proc/%d/task/%d/children' % (self.dtrace.pid, self.dtrace.pid),
                  encoding='utf-8') as f:
            for pid in f.read().split():
                with open('/proc/%s/comm' % pid, encoding='utf-8') as name:
                    if name.read() == 'probekeeper\n':
                        return int(pid)
        raise harness.Failure('no keeper: %s' % self.state())

    def begin(self):
        """Rounds until the probe fires; how many."""
        before, rounds = self.hits(), 0
        deadline = time.monotonic() + 30
        while self.hits() == before:
            check(time.monotonic() < deadline and self.dtrace.poll() is None,
                  'the probe does not fire: %s', self.state())
            self.program.work(FEW)
            rounds += FEW
            until(lambda: self.hits() != before or self.form.is_late or
                  self.dtrace.poll() is not None, 10, 'a hit: %s' % self.state())
            if self.form.is_late:
                time.sleep(0.01)
        return rounds

    def amid(self):
        """Work begins, and goes on when this returns, mostly."""
        wanted = self.hits() + self.moments.randrange(1, LONG // 2)
        self.program.say(LONG)
        until(lambda: self.hits() >= wanted or self.dtrace.poll() is not None, 30,
              'hits amid the work: %s' % self.state())

    def check_dtrace(self, status, fault=None):
        """Its end. fault: an error of clauses that may be printed."""
        try:
            self.dtrace.wait(30)
        except subprocess.TimeoutExpired:
            raise harness.Failure('dtrace does not end: ' + self.state()) from None
        errors = harness.content(self.err)
        wanted = status or int("couldn't dump()" in errors)
        check(self.dtrace.returncode == wanted, 'dtrace: status %d: %s',
              self.dtrace.returncode, self.state())
        if status == 0:
            # the limit of dump(), where the machine is slow
            errors = re.sub('.*too many others are being written.*', '', errors)
            errors = re.sub('.*%s.*' % fault, '', errors) if fault else errors
            check(not re.search(r'\bdrops?\b|error on enabled probe|aborted', errors), '%s',
                  errors)

    def check_counts(self, rounds, most=None):
        """Each of the rounds was counted, and printed; most: up to that many."""
        m = re.search(r'^counted (\d+) (-?\d+)$', self.printed(), re.M)
        check(m, 'nothing counted: %s', self.state())
        count = int(m.group(1))
        check(count == self.hits(), '%d counted, %d printed', count, self.hits())
        least = 1 if self.form.is_late else rounds
        most = most or rounds
        check(least <= count <= most, '%d of %d to %d: %s', count, least, most, self.state())
        if count == rounds == most:
            first = FEW if self.mode == '-p' else 0
            value = sum(self.form.n(n) for n in range(first, first + rounds))
            check(int(m.group(2)) == value, 'values: %s instead of %d', m.group(2), value)

    def check_nothing(self):
        """No process, no file."""
        until(lambda: not harness.marked(self.mark), 20, 'no process')
        left = os.listdir(self.env['TMPDIR'])
        check(not left, 'left behind: %s', left)
        known = {'tmp', 'data', *(f for f in os.listdir(self.folder.name)
                                  if re.fullmatch(r'core\.\d+', f))}
        left = set(os.listdir(self.folder.name)) - known
        check(not left, 'left behind: %s', left)
        for name in known - {'tmp', 'data'}:
            check_core(os.path.join(self.folder.name, name))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                self.check_nothing()
        finally:
            for p in (self.dtrace, self.program and self.program.process):
                if p and p.poll() is None:
                    p.kill()
                if p:
                    p.wait()
                    p.stdout and p.stdout.close()
                if p and p.stdin and not p.stdin.closed:
                    try:
                        p.stdin.close()
                    except BrokenPipeError:
                        pass
            for line in harness.marked(self.mark):
                try:
                    os.kill(int(line.split()[0]), signal.SIGKILL)
                except ProcessLookupError:
                    pass
            remove_lists()
            self.err.close()
            self.folder.cleanup()


# ---- ways to end ----

def normal(run):
    """The program ends by itself."""
    run.start()
    n = run.begin()
    run.program.work(10)
    run.program.check_end(3)
    run.check_dtrace(0)
    run.check_counts(n + 10)


def interrupted(run):
    """Ctrl-C amid it."""
    run.start()
    n = run.begin()
    run.amid()
    run.dtrace.send_signal(signal.SIGINT)
    run.check_dtrace(0)
    run.program.hear_done(LONG)
    run.program.check_left()
    run.check_counts(n, n + LONG)


def early(run, sig):
    """The signal comes while it begins."""
    run.start(wait=False)
    time.sleep(run.moments.uniform(0, 0.25))  # any moment
    run.dtrace.send_signal(sig)
    run.dtrace.wait(30)
    if run.mode == '-p':
        run.program.check_left()
    elif sig == signal.SIGINT and run.program.line():
        run.program.check_end(3)


def killed(run):
    run.start()
    run.begin()
    run.amid()
    run.dtrace.kill()
    run.dtrace.wait()
    if run.mode == '-p':
        run.program.hear_done(LONG)
        run.program.check_left()
    else:
        run.program.hear_done(LONG, ends=True)
        check(run.program.line() == '', 'the program of a killed dtrace lives on')


def keeper(run):
    """The keeper is killed while no thread can come to a breakpoint."""
    run.start()
    run.begin()
    os.kill(run.keeper(), signal.SIGKILL)
    run.check_dtrace(1)
    if run.mode == '-p':
        run.program.check_left()
    else:
        check(run.program.line() == '', 'the program lives on')


def keeper_amid(run):
    """A thread that comes to a breakpoint without a tracer dies; jumps do no harm."""
    run.start()
    run.begin()
    run.amid()
    os.kill(run.keeper(), signal.SIGKILL)
    run.check_dtrace(1)
    jumps = run.provider == 'fpid' and run.form.by == 'jumps'
    if run.program.hear_done(LONG, ends=run.mode == '-c' or not jumps):
        if run.mode == '-p':
            run.program.check_left()
    elif run.mode == '-p':
        run.program.check_end(-signal.SIGTRAP)


def target_killed(run):
    """All that was recorded is printed."""
    run.start()
    n = run.begin()
    run.amid()
    os.kill(run.program.pid, signal.SIGKILL)
    run.check_dtrace(0, r"couldn't dump\(\)")
    run.check_counts(n, n + LONG)


def executes(run):
    """Its new image has the probes as well."""
    run.start()
    run.begin()
    run.program.say('exec')
    run.program.hear_ready()
    run.begin()
    run.dtrace.send_signal(signal.SIGINT)
    # where variables are was looked up in the first image
    run.check_dtrace(0, 'local variable without a value here')
    run.program.check_left()


def forks(run):
    """A child has no probes; followed, it has."""
    run.start()
    n = run.begin()
    run.program.say('fork')
    line = run.program.line()
    check(line == 'child 0', 'it says %r: %s', line, run.state())
    run.dtrace.send_signal(signal.SIGINT)
    run.check_dtrace(0)
    run.program.check_left()
    run.check_counts(n)


def followed(run):
    run.start('-x', 'follow')
    n = run.begin()
    run.program.say('fork')
    line = run.program.line()
    # traced, its semaphore is raised
    check(line == ('child 512' if run.form.probe.startswith('forms') else 'child 0'),
          'it says %r: %s', line, run.state())
    run.dtrace.send_signal(signal.SIGINT)
    run.check_dtrace(0)
    run.program.check_left()
    run.check_counts(n, n + CHILD)
    if not run.form.is_late:
        check(run.hits() == n + CHILD, '%d hits', run.hits())


ENDS = {f.__name__: f for f in (normal, interrupted, killed, keeper, keeper_amid, target_killed,
                                executes, forks, followed)}
ENDS['interrupted_early'] = lambda run: early(run, signal.SIGINT)
ENDS['killed_early'] = lambda run: early(run, signal.SIGKILL)
SLOW = ('node', 'mono', 'java', 'java_probes', 'erlang')  # programs that are slow to start
SOME = ('interrupted', 'killed', 'target_killed')
MORE = (*SOME, 'normal', 'keeper')
FEWER = ('normal', 'interrupted', 'killed', 'keeper', 'target_killed')

LINE = 'PROVIDER$target:a.out:lined:forms.c@%d' % line_of('/* the line */')
JIT = 'PROVIDER$target:jit:Forms.Worker:Handle*:entry'
FORMS = {
    'usdt': Form('forms$target:::guarded', 'args[0]', lambda n: n),
    'line': Form(LINE),
    'locals': Form(LINE, 'locals.own + locals.n', lambda n: 4 * n),
    'inlined': Form('PROVIDER$target:a.out:twice:inlined'),
    'jit': Form(JIT, 'arg0', lambda n: n, is_late=True, by='breakpoints'),
    'jitdump': Form(JIT, 'arg0', lambda n: n, 'dump', is_late=True, by='breakpoints'),
    'unwound': Form('PROVIDER$target:a.out:left:unwound', by='breakpoints'),
    'dump': Form('PROVIDER$target:a.out:lined:entry /arg0 % 64 == 2/ { dump("core.%d", arg0); } '
                 'PROVIDER$target:a.out:lined:entry', 'arg0', lambda n: n, options=('-wx', 'dump=100'),
                 by='breakpoints'),
    'mapped': Form('PROVIDER$target:leaves*:leaf_twice:entry', 'arg0', lambda n: n),
    'pystack': Form('PROVIDER$target:libc:getppid:entry { @s[pystack(2)] = count(); } '
                    'PROVIDER$target:libc:getppid:entry', command='python', by='breakpoints'),
    'python': Form('python$target:::audit /copyinstr(arg0) == "forms"/', command='python',
                   ends=FEWER + ('executes', 'forks', 'followed')),
    'php': Form('php$target:::function-entry /copyinstr(arg0) == "leaf"/', command='php',
                ends=FEWER + ('keeper_amid', 'interrupted_early', 'killed_early')),
    'ruby': Form('ruby$target:::cmethod-entry /copyinstr(arg1) == "ppid"/', command='ruby',
                 ends=('normal', 'interrupted', 'killed', 'forks', 'followed')),
    'node': Form('PROVIDER$target:jit:*leaf*:entry', command='node', is_late=True,
                 by='breakpoints', ends=MORE),
    'mono': Form('PROVIDER$target:jit:Forms:Leaf*:entry', command='mono', is_late=True,
                 by='breakpoints', ends=MORE),
    'java': Form('PROVIDER$target:jit:*Forms.leaf*:entry', command='java', is_late=True,
                 by='breakpoints', ends=SOME[1:]),
    'hotspot': Form('hotspot$target:::method-entry /copyinstr(arg3, arg4) == "leaf"/',
                    command='java_probes', ends=('normal', 'interrupted', 'killed', 'keeper')),
    'erlang': Form('PROVIDER$target:jit:?forms:leaf*:entry', command='erlang', is_late=True,
                   by='breakpoints', ends=('normal', 'interrupted', 'killed')),
}


def cells(name):
    form = FORMS[name]
    for provider in ('pid', 'fpid'):
        if provider == 'fpid' and 'PROVIDER' not in form.probe:
            continue  # one provider: jumps where they can be
        for mode in ('-c', '-p'):
            if form.command in SLOW and (provider == 'pid') == (mode == '-c'):
                continue
            for end in form.ends or ENDS:
                cell = '%s %s %s' % (provider, mode, end)
                if ONLY in cell:
                    yield cell, form, provider, mode, ENDS[end]


def row(name):
    """All cells of a form; each failure has the seed that shows it again."""
    failures, count = [], 0
    COMMANDS[FORMS[name].command]()  # is it there?
    for turn in range(ROUNDS):
        seed = SEED + turn
        for cell, form, provider, mode, end in cells(name):
            start = time.monotonic()
            try:
                with Run(form, provider, mode, random.Random('%d %s' % (seed, cell))) as run:
                    end(run)
            except harness.Failure as failure:
                failures.append('%s (FORMS_SEED=%d): %s' % (cell, seed, failure))
            count += 1
            if 'FORMS_SLOW' in os.environ:
                print('%6.2f %s' % (time.monotonic() - start, cell))
    check(not failures, '%d of %d: %s', len(failures), count, '\n'.join(failures))
    return '%d cells' % count


# ---- the same clauses by both providers, three runs of a command ----

class Check:
    """dtrace -x check of all forms; afterwards nothing may be left."""

    def __init__(self, folder, moments):
        self.moments, self.mark = moments, uuid.uuid4().hex
        path = sources(folder, 'input', '%d\n' % LONG)
        probes = ', '.join(f.probe.replace('PROVIDER', 'pid') for f in FORMS.values()
                           if f.command == 'forms' and f.by == 'jumps')
        self.err = tempfile.TemporaryFile('w+', errors='replace')
        with open(path, 'rb') as source:
            self.dtrace = subprocess.Popen(
                [DTRACE, '-qZx', 'check', '-n', probes + ' { @ = count(); }', '-c',
                 shlex.join(COMMANDS['forms']())], cwd=folder, start_new_session=True,
                stdin=source, stdout=subprocess.DEVNULL, stderr=self.err,
                env={**os.environ, 'LC_ALL': 'C', 'HARNESS': self.mark, 'TMPDIR': folder})

    def processes(self, name):
        found = [line.split(None, 1) for line in harness.marked('HARNESS=' + self.mark)]
        return [int(pid) for pid, comm in found if comm == name]

    def kill_one(self, name):
        """One of a run under way; a run between two has none."""
        time.sleep(self.moments.uniform(0, 0.3))  # any moment
        until(lambda: self.processes(name) or self.dtrace.poll() is not None, 20, name)
        for pid in self.processes(name):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def signal(self, sig):
        time.sleep(self.moments.uniform(0, 0.4))  # any moment
        self.dtrace.send_signal(sig)

    def check_end(self):
        try:
            self.dtrace.wait(30)
            until(lambda: not harness.marked('HARNESS=' + self.mark), 20,
                  'no process: %s' % harness.marked('HARNESS=' + self.mark))
        finally:
            self.dtrace.kill()
            for line in harness.marked('HARNESS=' + self.mark):
                os.kill(int(line.split()[0]), signal.SIGKILL)
        return self.dtrace.returncode, harness.content(self.err)


def checked():
    ends = {'normal': lambda run: None, 'interrupted': lambda run: run.signal(signal.SIGINT),
            'killed': lambda run: run.signal(signal.SIGKILL),
            'run killed': lambda run: run.kill_one('dtrace'),
            'keeper killed': lambda run: run.kill_one('probekeeper'),
            'target killed': lambda run: run.kill_one('forms')}
    for turn in range(ROUNDS * 3):
        for name, end in ends.items():
            seed = '%d %s' % (SEED + turn, name)
            with tempfile.TemporaryDirectory(prefix='forms-') as folder:
                run = Check(folder, random.Random(seed))
                end(run)
                status, said = run.check_end()
                left = set(os.listdir(folder)) - {'input'}
            remove_lists()
            check(not left, '%s: left behind: %s', seed, left)
            check(name != 'normal' or status == 0 and 'the same by pid' in said,
                  '%s: status %d: %s', seed, status, said)


if __name__ == '__main__':
    harness.main({**{name: lambda name=name: row(name) for name in FORMS}, 'check': checked})
