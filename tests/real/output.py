#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where output goes and what becomes of it: appended files, full devices, readers that
go away, interrupts while something is left to print."""
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402

HI = 'BEGIN { printf("hi\\n"); exit(3); }'
TICKS = 'tick-5ms { printf("%d\\n", n++); }'
FULL = 'No space left on device'


def expect(arguments, status, err, **streams):
    """Runs dtrace with these streams: its status and all of its standard error."""
    p = subprocess.run([harness.DTRACE, *arguments], stdin=subprocess.DEVNULL, timeout=30,
                       stderr=subprocess.PIPE, text=True, check=False, **streams)
    harness.check(p.returncode == status and p.stderr == err, '%s: status %d\n%s', arguments,
                  p.returncode, p.stderr)


def full_device():
    """What cannot be written ends the run with an error, whatever exit() said."""
    with open('/dev/full', 'w', encoding='utf-8') as full:
        expect(['-qn', HI], 1, 'dtrace: processing aborted: %s\n' % FULL, stdout=full)
        expect(['-ln', 'BEGIN'], 1, 'dtrace: failed to write output: %s\n' % FULL, stdout=full)
        expect(['-V'], 1, 'dtrace: failed to write to standard output\n', stdout=full)
    expect(['-qn', HI, '-o', '/dev/full'], 1, 'dtrace: processing aborted: %s\n' % FULL,
           stdout=subprocess.DEVNULL)


def full_device_aggregations():
    """The same for what is printed in the end only."""
    with open('/dev/full', 'w', encoding='utf-8') as full:
        expect(['-qn', 'BEGIN { @["a"] = count(); exit(0); }'], 1,
               'dtrace: failed to print aggregations: %s\n' % FULL, stdout=full)


def reader_goes(before, status, err):
    """dtrace in a pipe whose reader takes one line."""
    with subprocess.Popen([harness.DTRACE, '-q', '-x', 'switchrate=5ms', '-n', TICKS],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, preexec_fn=before,
                          restore_signals=False) as p:
        try:
            harness.check(p.stdout.readline() == '0\n', 'no first line')
            p.stdout.close()
            harness.check(p.wait(15) == status, 'status %d', p.returncode)
            harness.check(p.stderr.read() == err, 'it says something else than %r', err)
        finally:
            p.kill()


def reader_goes_sigpipe():
    """By default the command dies of SIGPIPE, silently."""
    reader_goes(lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL), -signal.SIGPIPE, '')


def reader_goes_epipe():
    """Where SIGPIPE is ignored, it is an error of writing."""
    reader_goes(lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN), 1,
                'dtrace: processing aborted: Broken pipe\n')


def reader_of_fifo_goes(option, clause):
    """A named pipe that nobody reads any more ends the run in order, with a message."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'fifo')
        os.mkfifo(path)
        target = subprocess.Popen(['sleep', '60'])
        words = [harness.DTRACE, '-qw', '-x', 'switchrate=5ms', '-p', str(target.pid), *option(path),
                 '-n', 'pid$target:libc::entry {n++;} %s' % clause(path)]
        try:
            with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(
                                      signal.SIGPIPE, signal.SIG_DFL), restore_signals=False) as p:
                with open(path, encoding='utf-8') as fifo:
                    harness.check(fifo.readline() == '0\n', 'no first line')
                harness.check(p.wait(15) == 1, 'status %d', p.returncode)
                err = p.stderr.read()
                harness.check(err == 'dtrace: processing aborted: Broken pipe\n', 'stderr %s', err)
            with open('/proc/%d/status' % target.pid, encoding='utf-8') as status:
                harness.check('TracerPid:\t0\n' in status.read(), 'it is still traced')
            harness.check(target.poll() is None, 'the target has ended')
        finally:
            target.kill()
            target.wait()


def reader_of_output_file_goes():
    reader_of_fifo_goes(lambda path: ['-o', path], lambda path: TICKS)


def reader_of_freopened_goes():
    reader_of_fifo_goes(lambda path: [], lambda path: 'BEGIN { freopen("%s"); } %s' % (path, TICKS))


def appended():
    """-o adds to what is there, and creates what is not."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'out')
        for _ in range(2):
            expect(['-qn', HI, '-o', path], 3, '', stdout=subprocess.DEVNULL)
        expect(['-ln', 'BEGIN', '-o', path], 0, '', stdout=subprocess.DEVNULL)
        with open(path, encoding='utf-8') as f:
            lines = f.read().splitlines()
        harness.check(lines[:4] == ['hi', '', 'hi', ''] and lines[5].split() ==
                      ['1', 'dtrace', 'BEGIN'], 'the file has\n%s', '\n'.join(lines))
        with open(path, 'w', encoding='utf-8') as f:
            f.write('kept without end of line')
        expect(['-qn', HI, '-o', path], 3, '', stdout=subprocess.DEVNULL)
        with open(path, encoding='utf-8') as f:
            text = f.read()
        harness.check(text == 'kept without end of linehi\n\n', 'the file has\n%s', text)


def output_refused():
    """What cannot be opened for output is named, before anything is traced."""
    with tempfile.TemporaryDirectory() as folder:
        missing = os.path.join(folder, 'no', 'file')
        expect(['-qn', HI, '-o', missing], 1, "dtrace: failed to open output file '%s': "
               'No such file or directory\n' % missing, stdout=subprocess.DEVNULL)
        expect(['-qn', HI, '-o', folder], 1, "dtrace: failed to open output file '%s': "
               'Is a directory\n' % folder, stdout=subprocess.DEVNULL)


def ended_by(number, arguments, expected):
    """Sends a signal when the first line came: all of the output, status 0."""
    with subprocess.Popen([harness.DTRACE, '-q', '-x', 'switchrate=5ms', *arguments],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, start_new_session=True) as p:
        try:
            first = p.stdout.readline()
            p.send_signal(number)
            rest = p.stdout.read()
            harness.check(p.wait(15) == 0, 'status %d', p.returncode)
            harness.check(first + rest == expected, 'printed\n%s', first + rest)
            harness.check(p.stderr.read() == '', 'it complains')
        finally:
            p.kill()


def interrupted_output():
    """END runs and aggregations are printed; two newlines: the interrupt's and the end's."""
    program = 'BEGIN { printf("ready\\n"); @["n"] = count(); } END { printf("end\\n"); }'
    listing = '  %-50s %16d\n' % ('n', 1)
    for number in signal.SIGINT, signal.SIGTERM:
        ended_by(number, ['-n', program], 'ready\n\nend\n\n' + listing)


def interrupted_status():
    """exit() in END holds also then."""
    with subprocess.Popen([harness.DTRACE, '-q', '-x', 'switchrate=5ms', '-n',
                           'BEGIN { printf("ready\\n"); } END { exit(7); }'],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as p:
        try:
            p.stdout.readline()
            p.send_signal(signal.SIGINT)
            harness.check(p.wait(15) == 7, 'status %d', p.returncode)
        finally:
            p.kill()


def without(*signals):
    """For a child: these signals are ignored, and blocked."""
    for number in signals:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)


def ignored_at_start():
    """A command that a shell started in the background, without SIGINT, ends by it all the
    same; one under nohup goes on after its terminal has gone."""
    program = 'BEGIN { printf("ready\\n"); @["n"] = count(); }'
    listing = '  %-50s %16d\n' % ('n', 1)
    for number in signal.SIGINT, signal.SIGTERM:
        with subprocess.Popen([harness.DTRACE, '-q', '-x', 'switchrate=5ms', '-n', program],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, preexec_fn=lambda: without(
                                  signal.SIGINT, signal.SIGTERM, signal.SIGHUP)) as p:
            try:
                p.stdout.readline()
                p.send_signal(signal.SIGHUP)
                time.sleep(0.1)  # in which it would end
                harness.check(p.poll() is None, 'it ended with %s', p.returncode)
                p.send_signal(number)
                harness.check(p.wait(15) == 0, 'status %d', p.returncode)
                out = p.stdout.read()
                harness.check(out == '\n\n' + listing, 'printed\n%s', out)
            finally:
                p.kill()


LEFT_OUT = 'dtrace: interrupted while it waited; left out: %s\n'
NO_READER = LEFT_OUT % 'output that its reader did not take'
NO_COMMAND = LEFT_OUT % 'the end of a command of system(), and later commands'


def impatient_command():
    """What system() runs in END interrupts dtrace. Soon after the first interrupt that
    changes nothing; later dtrace waits no longer, runs no other command, prints the
    aggregations and says what it left out."""
    program = ('BEGIN { printf("ready\\n"); @["n"] = count(); } '
               'END { system("sleep %s; kill -INT %%d; sleep %s; echo over", $pid); '
               'system("echo other"); }')
    listing = '\n  %-50s %16d\n' % ('n', 1)
    for before, after, out, status, err in (
            ('0', '0.2', 'over\nother\n', 0, ''), ('0.4', '20', '', 1, NO_COMMAND)):
        with subprocess.Popen([harness.DTRACE, '-qw', '-x', 'switchrate=5ms', '-n',
                               program % (before, after)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              start_new_session=True) as p:
            try:
                p.stdout.readline()
                p.send_signal(signal.SIGINT)
                harness.check(p.wait(15) == status, 'status %d', p.returncode)
                if status:
                    os.killpg(p.pid, signal.SIGKILL)  # the command has the same pipes
                rest, said = p.stdout.read(), p.stderr.read()
                harness.check(rest == '\n' + out + listing and said == err,
                              'printed\n%s\n%s', rest, said)
            finally:
                p.kill()


class Stuck:
    """A dtrace whose output nobody takes: a pipe that is full."""

    def __init__(self, *arguments, stderr=subprocess.PIPE, limits=None):
        self.read_end, write_end = os.pipe()
        self.process = subprocess.Popen(
            [harness.DTRACE, '-q', *arguments], stdin=subprocess.DEVNULL, stdout=write_end,
            stderr=write_end if stderr is None else stderr, text=True, preexec_fn=limits)
        os.close(write_end)

    def wait_blocked(self):
        """It sleeps in write(2)."""
        path = '/proc/%d/syscall' % self.process.pid

        def writes():
            with open(path, encoding='utf-8') as f:
                return f.read().startswith('1 ')
        harness.until(lambda: self.process.poll() is not None or writes(), 15, 'a full pipe')
        harness.check(self.process.poll() is None, 'it ended: %s', self.process.returncode)

    def signal(self, pause):
        self.process.send_signal(signal.SIGINT)
        time.sleep(pause)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.read_end)
        if self.process.stderr:
            self.process.stderr.close()


LONG = 'tick-1ms { printf("%8000s\\n", "x"); @["n"] = count(); @s[ustack()] = count(); }'


def impatient_reader():
    """Many signals soon after the first do not give up a reader; one that comes later does. A
    picture is drawn all the same, and a reader that comes in time gets everything."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'picture')
        with Stuck('-n', LONG, '--heatmap', path, '-n', 'tick-1ms { @h = quantize(5); }',
                   '-x', 'heatmapunit=bytes') as stuck:
            stuck.wait_blocked()
            for _ in range(10):
                stuck.signal(0.01)
            harness.check(stuck.process.poll() is None, 'it did not wait')
            time.sleep(0.4)
            stuck.signal(0)
            harness.check(stuck.process.wait(15) == 1, 'status %d', stuck.process.returncode)
            err = stuck.process.stderr.read()
            harness.check(err == NO_READER, 'it says %s', err)
            with open(path, encoding='utf-8') as f:
                harness.check('</svg>' in f.read(), 'no picture')
    with Stuck('-n', LONG + 'END { printf("end\\n"); }') as stuck:
        stuck.wait_blocked()
        for _ in range(10):
            stuck.signal(0.01)
        text = b''
        while True:
            piece = os.read(stuck.read_end, 65536)
            text += piece
            if not piece:
                break
        harness.check(stuck.process.wait(15) == 0, 'status %d', stuck.process.returncode)
        harness.check(b'\nend\n' in text and b'\n  n ' in text, 'printed %s', text[-300:])


def impatient_messages():
    """The same if messages go to the same reader: the line of what is left out is lost with the
    rest, and nothing waits."""
    with Stuck('-n', LONG, stderr=None) as stuck:
        stuck.wait_blocked()
        stuck.signal(0.4)
        stuck.signal(0)
        harness.check(stuck.process.wait(15) == 1, 'status %d', stuck.process.returncode)


def pipe_and_picture():
    """A reader that leaves costs no picture, no recording and no command of END: the run ends
    in order, with the status that a shell shows for SIGPIPE."""
    with tempfile.TemporaryDirectory() as folder:
        names = [os.path.join(folder, name) for name in ('picture', 'run.data', 'done')]
        options = [['--heatmap', names[0]], ['-g', '-E', names[1]], ['-w']]
        for path, option in zip(names, options):
            end = 'END { system("touch %s"); }' % path if option == ['-w'] else ''
            program = TICKS + 'tick-5ms { @h = quantize(n); } ' + end
            with subprocess.Popen([harness.DTRACE, '-q', '-x', 'switchrate=5ms', *option, '-n',
                                   program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) as p:
                try:
                    harness.check(p.stdout.readline() == '0\n', 'no first line')
                    p.stdout.close()
                    harness.check(p.wait(15) == 128 + signal.SIGPIPE, 'status %d', p.returncode)
                    err = p.stderr.read()
                    harness.check(not err, 'it says %s', err)
                    harness.check(os.path.exists(path), 'no %s', path)
                finally:
                    p.kill()
        with open(names[0], encoding='utf-8') as f:
            harness.check('</svg>' in f.read(), 'no whole picture')
        replay = subprocess.run([harness.DTRACE, '-q', '-E', names[1], '-n',
                                 'tick-5ms { @ = count(); }'], stdout=subprocess.PIPE,
                                timeout=30, check=True).stdout
        harness.check(int(replay) > 0, 'the recording has %s', replay)


def full_and_picture():
    """A full disk costs what should go there, and nothing else."""
    with tempfile.TemporaryDirectory() as folder, \
            open('/dev/full', 'w', encoding='utf-8') as full:
        path = os.path.join(folder, 'picture')
        expect(['-qn', 'tick-5ms { @h = quantize(5); printf("x\\n"); } ', '--heatmap', path], 1,
               'dtrace: processing aborted: %s\n' % FULL, stdout=full)
        with open(path, encoding='utf-8') as f:
            harness.check('</svg>' in f.read(), 'no whole picture')


def hangup():
    """A terminal that is closed ends a run as Ctrl-C does; a file has all of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'out')
        with subprocess.Popen([harness.DTRACE, '-q', '-x', 'switchrate=5ms', '-o', path, '-n',
                               'BEGIN { printf("begin\\n"); } END { printf("end\\n"); }'],
                              stdin=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(
                                  signal.SIGHUP, signal.SIG_DFL)) as p:
            try:
                harness.until(lambda: os.path.exists(path) and os.path.getsize(path), 15,
                              'BEGIN')
                p.send_signal(signal.SIGHUP)
                harness.check(p.wait(15) == 0, 'status %d', p.returncode)
            finally:
                p.kill()
        with open(path, encoding='utf-8') as f:
            text = f.read()
        harness.check(text == 'begin\n\nend\n\n', 'the file has\n%s', text)


harness.main({'full_device': full_device,
              'full_device_aggregations': full_device_aggregations,
              'reader_goes_sigpipe': reader_goes_sigpipe,
              'reader_goes_epipe': reader_goes_epipe, 'appended': appended,
              'reader_of_output_file_goes': reader_of_output_file_goes,
              'reader_of_freopened_goes': reader_of_freopened_goes,
              'output_refused': output_refused, 'interrupted_output': interrupted_output,
              'interrupted_status': interrupted_status, 'ignored_at_start': ignored_at_start,
              'impatient_command': impatient_command, 'impatient_reader': impatient_reader,
              'impatient_messages': impatient_messages, 'pipe_and_picture': pipe_and_picture,
              'full_and_picture': full_and_picture, 'hangup': hangup})
