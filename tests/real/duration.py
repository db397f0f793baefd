#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--for and -x duration: the run ends as exit(0) would end it, whatever is traced."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
import tracefs  # noqa: E402
from attached import Gate, check_free, text_of  # noqa: E402

END = ' END { printf("end %d\\n", (int)((timestamp - start) / 1000000)); }'
BEGIN = 'BEGIN { start = timestamp; } '


def lasted(text, least):
    """How long END came after BEGIN, in ms: at least the time that was asked for. The rest is
    the machine's."""
    found = re.search(r'^end (\d+)$', text, re.M)
    harness.check(found and int(found.group(1)) >= least, 'not %d ms:\n%s', least, text)


def dtrace(*arguments, **kwargs):
    result = harness.run([harness.DTRACE, '-q', *arguments], **kwargs)
    harness.check(result.status == 0 and not result.err, '%s', result)
    return result


def command():
    """A program of -c runs on."""
    with tempfile.TemporaryDirectory() as folder:
        path, data = os.path.join(folder, 'done'), os.path.join(folder, 'data')
        with subprocess.Popen(
                [harness.DTRACE, '-q', '-o', data, '--for', '200ms', '-n', BEGIN + END, '-c',
                 "/bin/sh -c 'sleep 1; echo $0 >%s' later" % path],
                stdin=subprocess.DEVNULL) as p:
            harness.check(p.wait(30) == 0, 'status %d', p.returncode)
            harness.check(not os.path.exists(path), 'it waited for the program')
        harness.until(lambda: os.path.exists(path), 20, 'the end of the program')
        with open(data, encoding='utf-8') as f:
            lasted(f.read(), 200)


def attached():
    """A process of -p is as before; what was counted is printed."""
    with Gate([harness.target('gate')]) as gate:
        before = text_of(gate.pid)
        program = '%s$target:a.out:work:entry { @ = count(); } ' % harness.PROVIDER
        with subprocess.Popen([harness.DTRACE, '-q', '--for', '700ms', '-n',
                               BEGIN + program + END, '-p', str(gate.pid)],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as p:
            def is_changed():
                gate.process.stdin.write('0\n')
                gate.process.stdin.flush()
                return 'changed' in gate.process.stdout.readline()
            harness.until(is_changed, 20, 'the probes')
            gate.work(100, 'changed')
            out = p.communicate(timeout=30)[0]
        lasted(out, 700)
        harness.check(p.returncode == 0 and re.search(r'^ +100$', out, re.M), 'printed\n%s', out)
        check_free(gate.pid, before)
        gate.work(1, 'same')


def tool():
    """Of a tool that knows nothing of it."""
    with Gate([harness.target('gate')]) as gate:
        for name in 'sysfail', 'topfunc':
            dtrace('-s', name, '--for', '100ms', '-p', str(gate.pid))


def signals():
    """A signal ends it sooner; exit() does, with its status."""
    with subprocess.Popen([harness.DTRACE, '-q', '--for', '1h', '-n',
                           'BEGIN { printf("on\\n"); } END { printf("end\\n"); }', '-x',
                           'switchrate=5ms'], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          text=True) as p:
        harness.check(p.stdout.readline() == 'on\n', 'no BEGIN')
        p.send_signal(signal.SIGINT)
        harness.check('end\n' in p.communicate(timeout=20)[0] and p.returncode == 0, 'status %d',
                      p.returncode)
    result = harness.run([harness.DTRACE, '-q', '--for', '1h', '-n', 'tick-10ms { exit(7); }'])
    harness.check(result.status == 7, '%s', result)


def at_the_end():
    """exit() in END gives the status; the time of ticks is that of the run."""
    result = harness.run([harness.DTRACE, '-q', '--for', '100ms', '-n',
                          'tick-30ms { @ = count(); } END { exit(5); }'])
    harness.check(result.status == 5 and result.out.strip() in ('1', '2', '3'), '%s', result)


def recorded():
    """A recording of that length; then the first part of its own time, however long the
    replay takes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'run.data')
        start = time.monotonic()
        dtrace('-E', path, '--for', '600ms', '-n', 'tick-10ms { n++; }')
        harness.check(time.monotonic() - start >= 0.6, 'it took less')
        counted = [int(dtrace('-E', path, *option, '-n', 'tick-10ms { @ = count(); }').out)
                   for option in ([], ['--for', '200ms'], ['--for', '1h'])]
        harness.check(counted[0] == counted[2] and counted[0] > counted[1] > 0 and
                      counted[1] <= 20, 'ticks: %s', counted)


def machine():
    """Events of the whole machine."""
    result = tracefs.dtrace('-q', '--for', '200ms', '-n',
                            BEGIN + 'sched:::on-cpu { @ = count(); } ' + END)
    lasted(result.out, 200)
    harness.check(result.status == 0 and int(result.out.split()[-1]) > 0, '%s', result)


def listing():
    """Where nothing runs it is accepted and has no effect."""
    dtrace('--for', '1h', '-ln', 'BEGIN')
    dtrace('--for', '1h', '-en', 'BEGIN')


harness.main({'command': command, 'attached': attached, 'tool': tool, 'signals': signals,
              'at_the_end': at_the_end, 'recorded': recorded, 'machine': machine,
              'listing': listing})
