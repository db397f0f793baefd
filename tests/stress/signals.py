#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Several signals, some milliseconds apart, as timeout(1), a shell and an impatient user
send them: all that was collected is printed, drawn and recorded, whenever they come.

STRESS_ROUNDS sets the rounds of each form (default 6), STRESS_SEED the random moments.
"""
import json
import os
import pty
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..'))
sys.path.insert(0, os.path.join(HERE, '..', 'real'))
import harness  # noqa: E402
from attached import Gate  # noqa: E402

ROUNDS = int(os.environ.get('STRESS_ROUNDS', '6'))
SEED = int(os.environ.get('STRESS_SEED', '0')) or int(time.time())
MOMENTS = random.Random(SEED)
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
GAPS = [0, 0.001, 0.005, 0.05, 0.2]
ENTRY = harness.PROVIDER + '$target:a.out:work:entry '
END = 'END { printa("counted %@d\\n", @n); printf("end\\n"); }'
TEXT = ENTRY + '{ printf("hit\\n"); @n = count(); @by[probefunc] = count(); } ' + END
STACKS = ENTRY + '{ @[ustack()] = count(); @n = count(); } ' + END
SIZES = ENTRY + '{ @ = quantize(arg0); @n = count(); } ' + END


class Run:
    """A dtrace whose signals are for a child alone; its output is taken at once."""

    def __init__(self, program, pid, *options, out=subprocess.PIPE):
        self.process = subprocess.Popen(
            [harness.DTRACE, '-q', *options, '-n', program, '-p', str(pid)],
            stdin=subprocess.DEVNULL if out == subprocess.PIPE else out, stdout=out,
            stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.out = self.err = ''

    def signal(self):
        """Two to four signals with one of the gaps, within 300 ms; some may find the process
        gone."""
        gap = MOMENTS.choice(GAPS)
        number = 2 if gap > 0.1 else MOMENTS.randrange(2, 5)
        sent = [MOMENTS.choice(SIGNALS) for _ in range(number)]
        for number in sent:
            self.process.send_signal(number)
            time.sleep(gap)
        return '%s %s s apart' % (' '.join(number.name for number in sent), gap)

    def end(self):
        try:
            self.out, self.err = self.process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise harness.Failure('it hangs after its signals') from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for stream in self.process.stdout, self.process.stderr:
            if stream:
                stream.close()


class Worker(Gate):
    """The program gate, and whether its text is the traced one."""

    def __init__(self):
        super().__init__([harness.target('gate')])

    def call(self, turns):
        self.process.stdin.write('%d\n' % turns)
        self.process.stdin.flush()
        return 'changed' in self.process.stdout.readline()

    def wait_traced(self, run):
        harness.until(lambda: run.process.poll() is not None or self.call(0), 20, 'the probes')
        harness.check(run.process.poll() is None, 'it ended early: %s', run.process.returncode)


def check_counted(text, calls):
    """The records of the clauses and of END, and the aggregations."""
    harness.check(re.search(r'^counted %d$' % calls, text, re.M) and '\nend\n' in text,
                  'END of %d calls is not in\n%s', calls, text[-2000:])


def check_text(run, calls):
    check_counted(run.out, calls)
    harness.check(run.out.count('hit\n') == calls, '%d records of %d', run.out.count('hit\n'),
                  calls)
    harness.check(harness.counts(run.out) == {'work': calls}, 'aggregations\n%s',
                  run.out[-500:])


def check_ended(run):
    harness.check(run.process.returncode == 0, 'status %d\n%s\n%s', run.process.returncode,
                  run.out[-1000:], run.err)
    harness.check(not run.err, 'it complains: %s', run.err)


def counting(worker, program, *options, check=None):
    """The signals come while it waits for more."""
    calls = MOMENTS.randrange(1, 300)
    with Run(program, worker.pid, *options) as run:
        worker.wait_traced(run)
        worker.call(calls)
        said = run.signal()
        run.end()
        try:
            check_ended(run)
            (check or check_text)(run, calls)
        except harness.Failure as failure:
            raise harness.Failure('%s: %s' % (said, failure)) from None


def picture(worker, program, option):
    """A whole picture, beside what END prints."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'picture')

        def check(run, calls):
            check_counted(run.out, calls)
            with open(path, encoding='utf-8') as f:
                text = f.read()
            harness.check('</svg>' in text and len(text) > 1000, 'the picture has %d bytes',
                          len(text))
        counting(worker, program, option, path, check=check)


def recording(worker):
    """All calls are in the recording, whichever program asks it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'run.data')

        def check(_, calls):
            replay = harness.run([harness.DTRACE, '-q', '-E', path, '-n', TEXT])
            check_counted(replay.out, calls)
        counting(worker, TEXT, '-E', path, check=check)


def as_json(worker):
    """Each line is a value, and the aggregation is among them."""
    def check(run, calls):
        lines = [json.loads(line) for line in run.out.splitlines() if line]
        harness.check(any('%d' % calls in json.dumps(line) for line in lines) and
                      len(lines) > calls, '%d lines: %s', len(lines), run.out[-500:])
    counting(worker, TEXT, '-O', 'json', check=check)


def on_terminal(worker):
    """--top gives the terminal back and prints all."""
    calls = MOMENTS.randrange(1, 300)
    master, slave = pty.openpty()
    shown = []

    def take():
        try:
            while True:
                shown.append(os.read(master, 65536))
        except OSError:
            pass

    reader = threading.Thread(target=take)
    reader.start()
    try:
        with Run(SIZES, worker.pid, '--top', '-x', 'aggrate=50ms', out=slave) as run:
            worker.wait_traced(run)
            worker.call(calls)
            said = run.signal()
            run.end()
    finally:
        os.close(slave)
        reader.join()
        os.close(master)
    text = b''.join(shown).decode(errors='replace').replace('\r', '')
    harness.check(run.process.returncode == 0, '%s: status %d %s', said, run.process.returncode,
                  run.err)
    check_counted(text, calls)


def exiting(worker):
    """They come when exit() has been called, or is just being called."""
    calls = MOMENTS.randrange(2, 300)
    program = TEXT + ENTRY + '/++n == %d/ { exit(0); }' % calls
    with Run(program, worker.pid) as run:
        worker.wait_traced(run)
        worker.call(calls)
        time.sleep(MOMENTS.choice([0, 0, 0.001, 0.01, 0.1]))
        said = run.signal() if run.process.poll() is None else 'none'
        run.end()
        check_ended(run)
        harness.check(run.out.count('hit\n') == calls, '%s: %d records of %d', said,
                      run.out.count('hit\n'), calls)
        check_counted(run.out, calls)


def ending(_):
    """They come when the program ends."""
    calls = MOMENTS.randrange(1, 300)
    with Worker() as own, Run(TEXT, own.pid) as run:
        own.wait_traced(run)
        own.call(calls)
        own.process.stdin.close()
        time.sleep(MOMENTS.choice([0, 0, 0.001, 0.01]))
        run.signal()
        run.end()
        harness.check(run.process.returncode == 0, 'status %d %s', run.process.returncode,
                      run.err)
        check_text(run, calls)


def starting(worker):
    """They come at any moment from the start on: dtrace dies of the first, and has printed
    nothing, or BEGIN and END have run."""
    program = 'BEGIN { printf("begin\\n"); } ' + TEXT
    with Run(program, worker.pid) as run:
        time.sleep(MOMENTS.uniform(0, 0.15))
        run.signal()
        run.end()
        if -run.process.returncode in SIGNALS:
            harness.check(not run.out, 'it died and had printed\n%s', run.out)
        else:
            check_ended(run)
            harness.check(run.out.startswith('begin\n') and '\nend\n' in run.out,
                          'it printed\n%s', run.out)
    harness.until(lambda: not worker.call(0), 5, 'its own text')


def rounds(one):
    start = time.monotonic()
    with Worker() as worker:
        for number in range(ROUNDS):
            try:
                one(worker)
            except harness.Failure as failure:
                raise harness.Failure('round %d of %d (STRESS_SEED=%d): %s' % (
                    number + 1, ROUNDS, SEED, failure)) from None
    return '%d rounds in %.0f s' % (ROUNDS, time.monotonic() - start)


FORMS = {'text': lambda worker: counting(worker, TEXT),
         'flame': lambda worker: picture(worker, STACKS, '--flame'),
         'heatmap': lambda worker: picture(worker, SIZES, '--heatmap'),
         'recording': recording, 'json': as_json, 'top': on_terminal,
         'exit': exiting, 'end': ending, 'start': starting}

harness.main({name: (lambda one=one: rounds(one)) for name, one in FORMS.items()})
