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


def two_signals():
    """A second interrupt leaves out the aggregations; the status stays 0. It comes while
    dtrace waits for the shell's command, which therefore goes on for a moment."""
    program = ('BEGIN { printf("ready\\n"); @["n"] = count(); } '
               'END { system("kill -INT %d; sleep 0.3", $pid); }')
    with subprocess.Popen([harness.DTRACE, '-qw', '-x', 'switchrate=5ms', '-n', program],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, start_new_session=True) as p:
        try:
            p.stdout.readline()
            p.send_signal(signal.SIGINT)
            rest = p.stdout.read()
            harness.check(p.wait(15) == 0, 'status %d', p.returncode)
            harness.check('n  ' not in rest, 'printed\n%s', rest)
        finally:
            p.kill()


harness.main({'full_device': full_device,
              'full_device_aggregations': full_device_aggregations,
              'reader_goes_sigpipe': reader_goes_sigpipe,
              'reader_goes_epipe': reader_goes_epipe, 'appended': appended,
              'reader_of_output_file_goes': reader_of_output_file_goes,
              'reader_of_freopened_goes': reader_of_freopened_goes,
              'output_refused': output_refused, 'interrupted_output': interrupted_output,
              'interrupted_status': interrupted_status, 'ignored_at_start': ignored_at_start,
              'two_signals': two_signals})
