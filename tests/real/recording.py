#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""-E: recordings that perf reads."""
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402

def folder():
    return tempfile.TemporaryDirectory(prefix='dtrace-recording.')


def record(path, program, command, options=('-q',)):
    return harness.run([harness.DTRACE, *options, '-E', path, '-n', program, '-c', command])


def perf(*words):
    tool = shutil.which('perf')
    if not tool:
        raise harness.Skipped('no perf: apt-get install linux-perf')
    return harness.run([tool, *words])


def script(path):
    done = perf('script', '-i', path)
    harness.check(done.status == 0, 'perf script: %s', done)
    return done.out


def perf_script():
    """perf shows each call as an event of its own, with the stack by name."""
    with folder() as place:
        path = os.path.join(place, 'data')
        done = record(path, 'fpid$target:a.out:alpha:entry,fpid$target:a.out:beta:entry'
                            '{ ustack(3); }', harness.target('plain'))
        harness.check(done.status == 0, 'the recording: %s', done)
        calls, _ = harness.truth(done.out)
        text = script(path)
        for name in ('alpha', 'beta'):
            seen = re.findall(r'^plain +\d+ .*fpid:entry: plain`%s \(0x' % name, text, re.M)
            harness.check(len(seen) == calls[name], '%s: %d of %d calls in\n%s', name, len(seen),
                          calls[name], text)
        harness.check(re.search(r'fpid:entry: plain`alpha.*\n.* alpha$\n.* beta$', text, re.M),
                      'no stack by name in\n%s', text)
        header = perf('report', '--header-only', '-i', path)
        harness.check('arch : x86_64' in header.out, 'the header: %s', header)


def returns():
    """A return has its own fields; what no tracepoint was made for is there as well."""
    with folder() as place:
        path = os.path.join(place, 'data')
        done = record(path, 'fpid$target:a.out:beta:return { } syscall::exit_group:entry { }',
                      harness.target('plain'))
        calls, _ = harness.truth(done.out)
        text = script(path)
        harness.check(len(re.findall(r'fpid:return: plain`beta \(', text)) == calls['beta'],
                      'returns of beta:\n%s', text)
        harness.check('syscall:entry: ' in text and 'exit_group (0x3,' in text,
                      'the call of exit_group(3):\n%s', text)


def silent():
    """Without -g the program prints nothing; with it the same as always."""
    program = 'fpid$target:a.out:gamma_once:entry { printf("seen\\n"); @["g"] = count(); }'
    with folder() as place:
        done = record(os.path.join(place, '1'), program, harness.target('plain'))
        harness.check(done.status == 0 and 'seen' not in done.out, '-E: %s', done)
        done = record(os.path.join(place, '2'), program, harness.target('plain'), ('-q', '-g'))
        harness.check(re.search(r'^seen$', done.out, re.M) and re.search(r'^  g +1$', done.out, re.M),
                      '-gE: %s', done)
        done = harness.run([harness.DTRACE, '-gn', 'BEGIN { exit(0); }'])
        harness.check(done.status == 1 and '-g needs the file of -E' in done.err, '-g: %s', done)


def owner_only():
    """The file is new, and its owner's."""
    with folder() as place:
        path, link = os.path.join(place, 'data'), os.path.join(place, 'link')
        os.symlink(path, link)
        done = record(link, 'BEGIN { exit(0); }', 'true')
        harness.check(done.status != 0 and not os.path.exists(path), 'a symbolic link: %s', done)
        old = os.umask(0)
        try:
            done = record(path, 'BEGIN { exit(0); }', 'true')
        finally:
            os.umask(old)
        harness.check(done.status == 0 and stat.S_IMODE(os.stat(path).st_mode) == 0o600,
                      'the mode: %s %o', done, os.stat(path).st_mode)


def full_disk():
    """The run ends with a message; perf reads what there was room for."""
    if os.geteuid() != 0 or not shutil.which('unshare'):
        raise harness.Skipped('only root can mount a small file system')
    with folder() as place:
        command = ('mount -t tmpfs -o size=300k none %s && '
                   '"$0" -qE %s/data -n \'fpid$target:a.out:: { }\' -c %s; status=$?; '
                   'cp %s/data %s.kept; exit $status'
                   % (place, place, harness.target('plain'), place, place))
        try:
            done = harness.run(['unshare', '-m', 'sh', '-c', command, harness.DTRACE])
            harness.check(done.status == 1 and 'No space left on device' in done.err,
                          'the run: %s', done)
            harness.check('fpid:' in script(place + '.kept'), 'nothing was kept')
        finally:
            if os.path.exists(place + '.kept'):
                os.unlink(place + '.kept')


def killed():
    """dtrace is killed: perf reads what is there."""
    with folder() as place:
        path = os.path.join(place, 'data')
        with subprocess.Popen([harness.DTRACE, '-qE', path, '-n',
                               'fpid$target:a.out::entry { }', '-c',
                               harness.target('busy')], stdout=subprocess.DEVNULL,
                              start_new_session=True) as run:
            try:
                harness.until(lambda: os.path.exists(path) and os.stat(path).st_size > 20000,
                              30, 'events in the file')
            finally:
                run.send_signal(signal.SIGKILL)
        harness.check('fpid:entry: busy`work' in script(path), 'no calls')


CASES = {function.__name__: function
         for function in (perf_script, returns, silent, owner_only, full_disk, killed)}

if __name__ == '__main__':
    harness.main(CASES)
