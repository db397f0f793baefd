#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The life of traced processes: from when on, until when, and which of them."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
import ready  # noqa: E402
from attached import Attached, Gate, child_of  # noqa: E402

MOMENTS = ('exec', 'preinit', 'postinit', 'main')
PROGRAMS = ('plain', 'plain_static', 'plain_static_pie', 'plain_nopie', 'plain_dynsym',
            'plain_stripped', 'plain_musl', 'plain_musl_dynamic')
ENTRIES = 'pid$target:a.out::entry { @[probefunc] = count(); }'


def evaltime(name):
    """Held at any of the moments there are, it is traced from main on: every call is counted."""
    for moment in MOMENTS:
        result = harness.traced(ENTRIES, harness.target(name), ['-x', 'evaltime=' + moment])
        calls, _ = harness.truth(result.out)
        harness.same_counts(calls, harness.counts(result.data), 'evaltime=' + moment)


def constructors():
    """They run after preinit and before postinit."""
    for moment in MOMENTS:
        result = harness.traced(ENTRIES, harness.target('early'), ['-x', 'evaltime=' + moment])
        counted = harness.counts(result.data)
        expected = 2 if moment in ('exec', 'preinit') else 0
        harness.check(counted.get('early', 0) == expected and counted.get('late') == 1,
                      'evaltime=%s: %s', moment, counted)


class Tracer:
    """dtrace in the background, that prints "on" when its sites are set."""

    def __init__(self, program, options=()):
        program = program.replace('PROVIDER', harness.PROVIDER)
        self.process = subprocess.Popen(
            [harness.DTRACE, '-q', '-x', 'switchrate=20ms', *options, '-n',
             program + ' tick-20ms /!ticks_of_test++/ { printf("on\\n"); }'],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, start_new_session=True)
        for line in self.process.stdout:
            if line == 'on\n':
                return
        raise harness.Failure('dtrace ended: ' + self.process.communicate()[1])

    def is_running(self, seconds):
        """Still so after a time in which it would have ended."""
        time.sleep(seconds)
        return self.process.poll() is None

    def end(self, by_signal=True):
        if by_signal:
            self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=20)
        harness.check(self.process.returncode == 0 and not err, 'dtrace: %d %s',
                      self.process.returncode, err)
        return out

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def gate():
    return Gate([harness.target('gate')])


def by_number():
    """A process that only a description names: its end does not end tracing."""
    with gate() as target, Tracer('PROVIDER%d:a.out:work:entry { @["work"] = count(); }'
                                  % target.pid) as tracer:
        target.work(30, 'changed')
        target.end()
        harness.check(tracer.is_running(0.5), 'dtrace has ended with it')
        harness.check(harness.counts(tracer.end()) == {'work': 30}, 'counts')


def neighbour():
    """Another process of the same file is not traced."""
    with gate() as one, gate() as other, \
            Tracer('PROVIDER$target:a.out:work:entry { @[pid == $target ? "one" : "other"] = '
                   'count(); }', ['-p', str(one.pid)]) as tracer:
        other.work(20, 'same')
        one.work(30, 'changed')
        other.end()
        one.end()
        harness.check(harness.counts(tracer.end(False)) == {'one': 30}, 'counts')


def twin():
    """Another process has its memory, so it comes to the breakpoints: it lives on, and is not
    counted. That is so whichever of the two is traced."""
    program = 'pid$target:a.out:work:entry, pid$target:a.out:twin: { @[probefunc] = count(); }'
    with Gate([harness.target('gate'), 'twin']) as target:
        child = child_of(target.pid)
        with Attached([target.pid], program) as run:
            target.work(30, 'changed')
            run.end()
        harness.check(run.counts() == {'work': 30}, '%s\n%s', run.out, run.err)
        target.work(5, 'same')
        with Attached([child], program) as run:
            target.work(30, 'changed')
            run.end()
        harness.check(set(run.counts()) == {'twin'}, '%s\n%s', run.out, run.err)
        both = harness.run([harness.DTRACE, '-n', 'pid%d:a.out:work:entry, pid%d:a.out:twin:entry'
                            % (target.pid, child)])
        harness.check('it shares the memory of a process that is traced' in both.err, '%s', both)
        target.work(5, 'same')
        target.end()


def two_at_once():
    """-p with -c, and the same process twice: tracing ends with the last of them."""
    with gate() as target:
        program = 'PROVIDER%d:a.out:work:entry { @["work"] = count(); }' % target.pid
        with Tracer(program, ['-p', str(target.pid), '-p', str(target.pid),
                              '-c', harness.target('once')]) as tracer:
            target.work(30, 'changed')
            harness.check(tracer.is_running(0.3), 'dtrace has ended with the command')
            target.end()
            harness.check(harness.counts(tracer.end(False)) == {'work': 30}, 'counts')


def executes():
    """A process that only a description names executes: nothing of the new program is
    traced, and it runs on."""
    shell = subprocess.Popen(['bash', '-c', 'read x; exec %s' % harness.target('plain')],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        harness.until(lambda: ready.waits_for_input(shell.pid), 10, 'the shell')
        with Tracer('PROVIDER%d:a.out:main:entry, PROVIDER%d::alpha:entry, '
                    'PROVIDER%d:libc:_exit:entry { n++; } END { printf("%%d\\n", n); }'
                    % ((shell.pid,) * 3), ['-Z']) as tracer:
            out, _ = shell.communicate('go\n', timeout=20)
            harness.check(shell.returncode == 3, 'it ended with %d', shell.returncode)
            harness.check(re.search(r'^alpha \d+$', out, re.M), 'it says %s', out)
            harness.check(tracer.is_running(0.3), 'dtrace has ended with it')
            harness.check(tracer.end().split() == ['0'], 'it was traced')
    finally:
        shell.kill()
        shell.wait()


def of_wrapper(folder):
    """A script whose last command is the program, as many programs are installed."""
    path = os.path.join(folder, 'wrapper.sh')
    with open(path, 'w', encoding='utf-8') as f:
        f.write('#!/bin/sh\nexec %s\n' % harness.target('plain'))
    os.chmod(path, 0o700)
    return path


def wrapper():
    """The named object is not that of the script's shell: dtrace waits until the program is
    executed. a.out is the program that runs, so with -Z the next one counts as well."""
    with tempfile.TemporaryDirectory(prefix='wrapper-') as folder:
        path = of_wrapper(folder)
        for command in path, 'env A=1 ' + harness.target('plain'):
            result = harness.traced('pid$target:plain:alpha:entry { @[probefunc] = count(); }',
                                    command)
            harness.check('waits until it executes another program' in result.err and
                          harness.counts(result.data) ==
                          {'alpha': harness.truth(result.out)[0]['alpha']},
                          '%s', result)
        result = harness.traced('pid$target:a.out:alpha:entry { @[probefunc] = count(); }',
                                path, ['-Z'])
        harness.check(harness.counts(result.data), '%s', result)


def wrapper_refused():
    """What can be known to be missing is an error all the same."""
    with tempfile.TemporaryDirectory(prefix='wrapper-') as folder:
        path = of_wrapper(folder)
        result = harness.traced('pid$target:plain:nothing:entry { n++; }', path)
        harness.check(re.search(r'pid\d+:plain:nothing:entry did not match any probes',
                                result.err), '%s', result)
        result = harness.traced('pid$target:plain:nothing:entry { n++; }', path, ['-Z'])
        harness.check('did not match' not in result.err, '%s', result)
        for module, command in ('a.out', path), ('plane', harness.target('plain')):
            result = harness.run([harness.DTRACE, '-n', harness.PROVIDER +
                                  '$target:%s:alpha:entry' % module, '-c', command])
            harness.check(result.status == 1 and 'invalid probe specifier' in result.err,
                          '%s', result)


def unborn(what, module, count):
    """A fork child that runs only after the code has changed that it has a copy of."""
    result = harness.run([harness.DTRACE, '-qZn', harness.PROVIDER + '$target:%s:%s:entry '
                          '{ @[probefunc] = count(); }' % module, '-c',
                          '%s %s' % (harness.target('unborn'), what)], timeout=20)
    if 'status' not in result.out:
        raise harness.Skipped('userfaultfd(2) is not allowed')
    harness.check(re.findall('^status (.*)$', result.out, re.M) == ['0'] * count[0] and
                  harness.counts(result.out) == {module[1]: count[1]}, '%s', result)


def unborn_writable():
    """The code is made writable: breakpoints take the place of jumps."""
    unborn('writable', ('a.out', 'work'), (1, 2))


def unborn_closed():
    """The library is closed, and opened again at the same place."""
    unborn(harness.target('plugin.so'), ('plugin*', 'plugged'), (3, 6))


def untold():
    """Threads that make children are killed amid that, by an exec or the end of the process:
    no child stays behind in its first stop."""
    for what, options in ('exec', ()), ('end', ('-x', 'follow')):
        result = harness.run([harness.DTRACE, '-q', *options, '-n', harness.PROVIDER +
                              '$target:a.out:work:entry { @ = count(); }', '-c',
                              '%s %s 5' % (harness.target('untold'), what)], timeout=30)
        harness.check(result.status == 0 and 'all have ended' in result.out, '%s', result)


CASES = {'unborn_writable': unborn_writable, 'unborn_closed': unborn_closed,
         'untold': untold, 'constructors': constructors, 'by_number': by_number, 'neighbour': neighbour,
         'twin': twin, 'two_at_once': two_at_once, 'executes': executes,
         'wrapper': wrapper, 'wrapper_refused': wrapper_refused}
for program_name in PROGRAMS:
    CASES['evaltime_' + program_name] = lambda name=program_name: evaltime(name)

harness.main(CASES)
