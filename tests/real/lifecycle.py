#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How runs begin and end: signals, kills, slow readers, installation."""
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
import ready  # noqa: E402

READY = 'BEGIN { printf("ready\\n"); } '
# of idle.c, which is ready once it sleeps
COUNT = ('pid$target:a.out::entry { @[probefunc] = count(); } '
         'pid$target:a.out:nap:entry { printf("ready\\n"); }')
EACH = ('pid$target:a.out:alpha:entry { printf("%%-%ds|\\n", "x"); }' % 100)


class Run:
    """dtrace in the background, in a session of its own, output in a file."""

    def __init__(self, arguments, stdout=None):
        self.out = tempfile.TemporaryFile('w+', errors='replace')
        self.err = tempfile.TemporaryFile('w+', errors='replace')
        self.process = subprocess.Popen([harness.DTRACE, '-x', 'switchrate=10ms', *arguments],
                                        stdin=subprocess.DEVNULL, stdout=stdout or self.out,
                                        stderr=self.err, start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # the target shares the group, and outlives a dtrace that ended in order
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def text(self, stream=None):
        return harness.content(stream or self.out)

    def wait_ready(self):
        harness.until(lambda: 'ready' in self.text() or self.process.poll() is not None, 20,
                      'the probes')
        harness.check(self.process.poll() is None, 'dtrace ended:\n%s', self.text(self.err))

    def wait(self, seconds=15):
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise harness.Failure('dtrace does not end:\n%s\n%s' % (
                self.text(), self.text(self.err))) from None

    def children(self, name):
        """Live descendants by that name; the keeper has left the process group."""
        found, known = [], {self.process.pid}
        for _ in range(4):
            for pid, parent, state, comm in processes():
                if parent in known and pid not in known and state != 'Z':
                    known.add(pid)
                    if comm == name:
                        found.append(pid)
        return found


def processes():
    """(pid, parent, state, name) of all processes."""
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open('/proc/%s/stat' % pid, encoding='utf-8', errors='replace') as f:
                head, _, tail = f.read().rpartition(')')
        except OSError:
            continue  # gone
        state, parent = tail.split()[:2]
        yield int(pid), int(parent), state, head.partition('(')[2]


def is_gone(pid):
    try:
        with open('/proc/%d/stat' % pid, encoding='utf-8') as f:
            return f.read().rpartition(')')[2].split()[0] == 'Z'
    except FileNotFoundError:
        return True


def ctrl_c():
    """To the whole group, as a terminal does: the target dies, the counts are printed."""
    with Run(['-qn', COUNT, '-c', harness.target('idle')]) as run:
        run.wait_ready()
        os.killpg(run.process.pid, signal.SIGINT)
        harness.check(run.wait() == 0, 'status %d', run.process.returncode)
        harness.check(harness.counts(run.text()).get('main') == 1, 'printed\n%s', run.text())


def sigterm():
    with Run(['-qn', COUNT, '-c', harness.target('idle')]) as run:
        run.wait_ready()
        run.process.send_signal(signal.SIGTERM)
        harness.check(run.wait() == 0, 'status %d', run.process.returncode)
        harness.check(harness.counts(run.text()).get('main') == 1, 'printed\n%s', run.text())


def target_of(run):
    found = run.children('idle')
    harness.check(len(found) == 1, 'targets: %s', found)
    return found[0]


def killed_with_command():
    """The program of -c does not outlive a killed dtrace, nor does the keeper."""
    with Run(['-qn', COUNT, '-c', harness.target('idle')]) as run:
        run.wait_ready()
        pid = target_of(run)
        keepers = run.children('probekeeper')
        harness.check(len(keepers) == 1, 'keepers: %s', keepers)
        run.process.kill()
        run.process.wait()
        harness.until(lambda: is_gone(pid), 2, 'the end of the target')
        harness.until(lambda: is_gone(keepers[0]), 2, 'the end of the keeper')


def keeper_killed():
    """dtrace says so and ends; the program of -c dies with the keeper."""
    with Run(['-qn', COUNT, '-c', harness.target('idle')]) as run:
        run.wait_ready()
        pid = target_of(run)
        os.kill(run.children('probekeeper')[0], signal.SIGKILL)
        harness.check(run.wait() == 1, 'status %d', run.process.returncode)
        harness.check(run.text(run.err).startswith('dtrace: ') and 'keeper' in run.text(run.err),
                      'it says\n%s', run.text(run.err))
        harness.until(lambda: is_gone(pid), 2, 'the end of the target')


def keeper_name():
    """pkill dtrace leaves the keeper: its name and arguments do not say so. Nor does the
    terminal signal it, though the scheduler takes it for one of the same session."""
    with Run(['-qn', COUNT, '-c', harness.target('idle')]) as run:
        run.wait_ready()
        keeper = run.children('probekeeper')[0]
        with open('/proc/%d/cmdline' % keeper, 'rb') as f:
            words = f.read().split(b'\0')
        harness.check(b'dtrace' not in os.path.basename(words[0]) and
                      not any(b'dtrace' in word for word in words[1:]), 'arguments %s', words)
        harness.check(os.getpgid(keeper) == keeper, 'a signal of the terminal reaches it')
        harness.check(os.getsid(keeper) == os.getsid(run.process.pid), 'it has left the session')


def attached_exits():
    """The target of -p ends by itself: its data is printed, dtrace ends with 0."""
    target = subprocess.Popen([harness.target('busy'), '2'], stdout=subprocess.DEVNULL,
                              start_new_session=True)
    try:
        with Run(['-n', READY + 'pid$target:a.out:on_alarm:entry { @["n"] = count(); }', '-p',
                  str(target.pid)]) as run:
            run.wait_ready()
            harness.check(run.wait(5) == 0, 'status %d', run.process.returncode)
            harness.check(harness.counts(run.text()).get('n', 0) > 0, 'printed\n%s', run.text())
            harness.check('pid %d has exited' % target.pid in run.text(run.err), '%s',
                          run.text(run.err))
        harness.check(target.wait(5) == 0, 'the target ended with %d', target.returncode)
    finally:
        target.kill()
        target.wait()


class Fifo:
    """Output of dtrace that no one reads until read() is called; the target's own output
    goes elsewhere, or it would wait for the reader itself."""

    def __init__(self, folder):
        self.path = os.path.join(folder, 'fifo')
        os.mkfifo(self.path)
        self.fd = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)

    def has_data(self):
        return bool(select.select([self.fd], [], [], 0)[0])

    def read(self):
        """The lines up to the end of dtrace."""
        os.set_blocking(self.fd, True)
        with os.fdopen(self.fd, errors='replace') as pipe:
            return pipe.read().splitlines()


def unread(options, once_started):
    """Prints 600 kB into a fifo, calls once_started(run), then reads: (lines, errors)."""
    with tempfile.TemporaryDirectory() as folder:
        fifo = Fifo(folder)
        with open(os.devnull, 'w', encoding='utf-8') as null, \
                Run(['-q', '-o', fifo.path, *options, '-n', EACH, '-c',
                     harness.target('plain')], stdout=null) as run:
            harness.until(lambda: fifo.has_data() or run.process.poll() is not None, 10,
                          'the first records')
            once_started(run)
            lines = fifo.read()
            run.wait()
            return lines, run.text(run.err)


def slow_reader():
    """No one reads the output: the target runs to its end all the same, and all records
    are there when somebody reads at last."""
    lines, errors = unread([], lambda run: harness.until(
        lambda: not run.children('plain'), 20, 'the end of the target'))
    records = sum(line.startswith('x ') for line in lines)
    harness.check(records == 5950, '%d records of 5950\n%s', records, errors)


def counted_drops():
    """A buffer too small for a reader that sleeps: what is not printed is counted."""
    lines, errors = unread(['-b', '16k'], lambda run: harness.until(
        lambda: not run.children('plain'), 20, 'the end of the target'))
    records = sum(line.startswith('x ') for line in lines)
    drops = sum(int(n) for n in re.findall(r'^dtrace: (\d+) drops? on CPU', errors, re.M))
    harness.check(records + drops == 5950 and drops > 0, '%d records and %d drops of 5950\n%s',
                  records, drops, errors)
    return '%d records, %d drops' % (records, drops)


def installed():
    """What cmake installs works from there, whatever the folder."""
    with tempfile.TemporaryDirectory() as folder:
        result = harness.run(['cmake', '--install', os.environ['BUILD'], '--prefix', folder])
        harness.check(result.status == 0, '%s', result)
        # a D library there is loaded as well
        library = os.path.join(folder, 'lib', 'dtrace', 'own.d')
        os.makedirs(os.path.dirname(library), exist_ok=True)
        with open(library, 'w', encoding='utf-8') as f:
            f.write('inline string installed = "f";\n')
        kept, harness.DTRACE = harness.DTRACE, os.path.join(folder, 'bin', 'dtrace')
        try:
            moved = harness.traced('pid$target:a.out:f:entry { @[installed] = count(); }',
                                   harness.target('once'))
        finally:
            harness.DTRACE = kept
        harness.check(harness.counts(moved.data) == {'f': 1}, '%s', moved)
        with_keeper = os.listdir(os.path.join(folder, 'libexec', 'dtrace'))
        harness.check('probekeeper' in with_keeper, 'libexec/dtrace holds %s', with_keeper)


def descriptors():
    """The target sees no descriptor that it would not see from a shell."""
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, 'look')
        with open(script, 'w', encoding='utf-8') as f:
            f.write('#!/bin/sh\nls /proc/$$/fd\n')
        os.chmod(script, 0o755)
        alone = harness.run([script])
        result = harness.traced(READY, script)
        harness.check(result.out == alone.out, 'descriptors\n%s\ninstead of\n%s', result.out,
                      alone.out)


def inherited():
    """Blocked signals, file mode mask and environment: as a shell gives them."""
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, 'look')
        with open(script, 'w', encoding='utf-8') as f:
            f.write('#!/usr/bin/python3 -S\nimport os, re\n' # dash unblocks all signals
                    'print(re.findall("(?:Umask|SigBlk):.*", open("/proc/self/status").read()))\n'
                    'print([name for name in os.environ if "DTRACE_" in name])\n')
        os.chmod(script, 0o755)

        def prepare():
            os.umask(0o027)
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2, signal.SIGWINCH])

        alone = harness.run([script], preexec_fn=prepare)
        harness.check('0000000008000800' in alone.out, 'alone\n%s', alone.out)
        result = harness.traced(READY, script, ['-x', 'debug'], preexec_fn=prepare)
        harness.check(result.out == alone.out, 'it finds\n%s\ninstead of\n%s', result.out,
                      alone.out)


def impatient():
    """A second Ctrl-C gives up what no one reads; the target of -c is released all the same."""
    with tempfile.TemporaryDirectory() as folder:
        fifo = Fifo(folder)
        with open(os.devnull, 'w', encoding='utf-8') as null, \
                Run(['-q', '-o', fifo.path, '-n', EACH, '-c', harness.target('plain')],
                    stdout=null) as run:
            harness.until(fifo.has_data, 10, 'the first records')
            harness.until(lambda: not run.children('plain'), 20, 'its end')
            run.process.send_signal(signal.SIGINT)
            time.sleep(0.4)  # in which it would end; sooner no second one counts
            harness.check(run.process.poll() is None, 'one Ctrl-C was enough:\n%s',
                          run.text(run.err))
            run.process.send_signal(signal.SIGINT)
            harness.check(run.wait(5) == 1, 'status %d:\n%s', run.process.returncode,
                          run.text(run.err))
            harness.check('left out: output that its reader did not take' in run.text(run.err),
                          'it says\n%s', run.text(run.err))
            harness.check('abort' not in run.text(run.err), 'it says\n%s', run.text(run.err))
            os.close(fifo.fd)


def state_of(pid):
    with open('/proc/%d/stat' % pid, encoding='utf-8') as f:
        return f.read().rsplit(')', 1)[1].split()[0]


def stop_stays():
    """A process that stop() has stopped stays so when dtrace ends; SIGCONT lets it go on."""
    with subprocess.Popen([harness.target('busy'), '30'], stdout=subprocess.PIPE, text=True) as p:
        try:
            harness.until(lambda: ready.waits(p.pid), 10, 'the program')
            with Run(['-qw', '-p', str(p.pid), '-n',
                      'pid$target:a.out:work:entry { stop(); exit(0); }']) as run:
                harness.check(run.wait() == 0, 'dtrace says\n%s', run.text(run.err))
            harness.until(lambda: state_of(p.pid) == 'T', 5, 'the stop')
            time.sleep(0.3)  # in which it would go on
            harness.check(state_of(p.pid) == 'T', 'it does not stay stopped')
            p.send_signal(signal.SIGCONT)
            p.send_signal(signal.SIGUSR1)
            line = p.stdout.readline()
            harness.check(line.startswith('text same'), 'it says %s', line)
            p.send_signal(signal.SIGTERM)
            harness.check(p.wait(10) == 0, 'status %d', p.returncode)
        finally:
            p.kill()


def vfork_release_ms():
    """How long the end of tracing takes while a thread sleeps in vfork."""
    with subprocess.Popen([harness.target('vdoze'), '6']) as p:
        try:
            harness.until(lambda: ready.waits(p.pid, [ready.VFORK]), 10, 'its vfork')
            with Run(['-q', '-p', str(p.pid), '-n', 'BEGIN { t = timestamp; }',
                      '-n', 'pid$target:a.out:work:entry { exit(0); }',
                      '-n', 'END { printf("%d\\n", (timestamp - t) / 1000000); }']) as run:
                harness.check(run.wait(20) == 0, 'dtrace says\n%s', run.text(run.err))
                ms = int(run.text().split()[0])
            harness.check(p.wait(20) == 6, 'status %d', p.returncode)
            return ms
        finally:
            p.kill()


def vfork_release():
    """A thread that sleeps in vfork does not hold up the end of tracing for the others: they
    are not waited for until the limit of 1.5 s. A busy machine may take as long."""
    took = []
    while not took or took[-1] >= 1400:
        harness.check(len(took) < 4, 'released after %s ms', took)
        took.append(vfork_release_ms())


def directory_on_path():
    """A directory on PATH that has the name of the program is passed over."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, 'first'))
        os.mkdir(os.path.join(folder, 'first', 'prog'))
        os.mkdir(os.path.join(folder, 'second'))
        os.symlink(harness.target('once'), os.path.join(folder, 'second', 'prog'))
        env = dict(os.environ, PATH='%s/first:%s/second' % (folder, folder))
        result = harness.run([harness.DTRACE, '-q', '-c', 'prog', '-n',
                              'BEGIN { printf("begun\\n"); }'], env=env)
        harness.check(result.status == 0 and 'begun' in result.out, '%s', result)


harness.main({'ctrl_c': ctrl_c, 'sigterm': sigterm, 'killed_with_command': killed_with_command,
              'keeper_killed': keeper_killed, 'keeper_name': keeper_name,
              'attached_exits': attached_exits, 'slow_reader': slow_reader,
              'counted_drops': counted_drops, 'installed': installed,
              'descriptors': descriptors, 'inherited': inherited, 'impatient': impatient,
              'stop_stays': stop_stays, 'vfork_release': vfork_release,
              'directory_on_path': directory_on_path})
