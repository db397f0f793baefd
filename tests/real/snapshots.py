#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""snapshot(): what a flight recorder holds, while the program goes on."""
import functools
import os
import re
import shutil
import stat
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402

RING = ('-q', '-x', 'bufpolicy=ring')


def folder():
    return tempfile.TemporaryDirectory(prefix='dtrace-snapshots.')


def record(path, program, command, options=()):
    return harness.run([harness.DTRACE, *RING, *options, '-E', path, '-n', program, '-c', command])


def ask(path, program, options=()):
    done = harness.run([harness.DTRACE, '-q', *options, '-E', path, '-n', program])
    harness.check(done.status == 0 and not done.err, 'the replay of %s: %s', path, done)
    return done.out


# name: command, program, options; then a program that asks the first snapshot, and a pattern
# of what it prints.
TAKEN = {
    # the event that called it is in it, as is all before it
    'thousandth': ('plain', """fpid$target:a.out:alpha:entry /++n == 1000/ { snapshot(); }
        fpid$target:a.out::entry { }""", '-x bufsize=8m',
                   'fpid*::alpha:entry /++n == 1000/ { printf("%d before\\n", n - 1); }',
                   r'^999 before$'),
    'slow_call': ("/bin/sh -c 'sleep 0.01; sleep 0.6; sleep 0.01'",
                  """syscall::clock_nanosleep:entry { self->t = timestamp; }
        syscall::clock_nanosleep:return /self->t && timestamp - self->t > 500000000/
        { snapshot(); self->t = 0; }""", '-x follow',
                  """syscall::clock_nanosleep:entry { self->t = timestamp; }
        syscall::clock_nanosleep:return /self->t && timestamp - self->t > 500000000/
        { printf("%s was slow\\n", execname); }""", r'^sleep was slow$'),
    'signal': ("/bin/sh -c 'trap : USR1; kill -USR1 $$; exit 0'",
               'proc:::signal-handle /args[0] == 10/ { snapshot(); } syscall::kill:entry { }', '',
               'syscall::kill:entry { printf("%d\\n", arg1); } '
               'proc:::signal-handle { printf("handles %d\\n", args[0]); }',
               r'^10\nhandles 10$'),
    'pid': ('plain', """pid$target:a.out:beta:entry /++n == 10/ { snapshot(); }
        fpid$target:a.out:alpha:entry { }""", '',
            'pid*::beta:entry /++n == 10/ { printf("%d before\\n", n - 1); }', r'^9 before$'),
    'usdt': ('noted', 'noted$target::: { snapshot(); }', '',
             'noted*::: /!n++/ { printf("%s\\n", probeprov); }', r'^noted\d+$'),
    'exits': ('plain', 'fpid$target::gamma_once:entry { snapshot(); exit(4); }', '',
              'fpid*::gamma_once:entry { printf("%s\\n", probefunc); }', r'^gamma_once$'),
    # the last one of a process that is killed
    'crash': ("/bin/sh -c 'kill -SEGV $$'", 'syscall::kill:entry { snapshot(); }', '',
              'syscall::kill:entry { printf("%d\\n", arg1); }', r'^11$'),
}


def taken(name):
    """It is a recording of its own, which replays, and the whole one is there as well."""
    command, program, options, question, pattern = TAKEN[name]
    if '/' not in command:
        command = harness.target(command)
    with folder() as place:
        path = os.path.join(place, 'data')
        done = record(path, program, command, options.split())
        harness.check(done.status == (4 if name == 'exits' else 0), 'the run: %s', done)
        harness.check(os.path.exists(path + '.1'), 'no snapshot: %s', done)
        harness.check(stat.S_IMODE(os.stat(path + '.1').st_mode) == 0o600, 'its mode')
        answer = ask(path + '.1', question)
        harness.check(re.search(pattern, answer, re.M), 'the snapshot says:\n%s', answer)
        harness.check(ask(path, question), 'the whole recording says nothing')
        # the same program runs on it, and writes nothing
        files = sorted(os.listdir(place))
        harness.run([harness.DTRACE, '-q', '-E', path + '.1', '-n', program])
        harness.check(files == sorted(os.listdir(place)), 'the replay wrote files')


def threads():
    """Many threads write meanwhile: each record is whole, and they are in order of time."""
    with folder() as place:
        path = os.path.join(place, 'data')
        done = record(path, """fpid$target:a.out:work:entry /!(++n % 1000)/ { snapshot(); }
            fpid$target:a.out:inner: { }""", harness.target('threads'),
                      ('-x', 'bufsize=64k', '-x', 'snapshots=200'))
        harness.check(done.status == 0 and 'inner 19328' in done.out, 'the run: %s', done)
        taken_files = [n for n in os.listdir(place) if n != 'data']
        harness.check(taken_files, 'no snapshot: %s', done)
        for name in taken_files:
            # of each thread a return follows the entry that it belongs to
            answer = ask(os.path.join(place, name), """
                uint64_t last;
                fpid*::inner:entry { self->v = arg0 + 1; @n = count(); }
                fpid*::inner:return /self->v/ { @[arg1 == 3 * (self->v - 1) ? "good" : "bad"] =
                    count(); self->v = 0; }
                fpid*::: { @order[timestamp < last ? "back" : "on"] = count(); last = timestamp; }
                """)
            harness.check('bad' not in answer and 'back' not in answer and 'good' in answer,
                          '%s:\n%s', name, answer)


def perf_script():
    """perf shows a snapshot, with names of code and threads."""
    tool = shutil.which('perf')
    if not tool:
        raise harness.Skipped('no perf: apt-get install linux-perf')
    with folder() as place:
        path = os.path.join(place, 'data')
        record(path, 'fpid$target::gamma_once:entry { ustack(2); snapshot(); }',
               harness.target('plain'))
        done = harness.run([tool, 'script', '-i', path + '.1'])
        harness.check(re.search(r'^plain .*fpid:entry: plain`gamma_once.*\n.* gamma_once$', done.out,
                                re.M), 'perf script: %s', done)


def limit():
    """So many files and no more; that is said once, and the run goes on."""
    with folder() as place:
        path = os.path.join(place, 'data')
        done = record(path, 'tick-5ms { snapshot(); } syscall:::entry { }',
                      '/bin/sleep 1', ('-x', 'snapshots=2'))
        harness.check(done.status == 0, 'the run: %s', done)
        harness.check(sorted(os.listdir(place)) == ['data', 'data.1', 'data.2'], 'files: %s',
                      os.listdir(place))
        harness.check(done.err.count('-x snapshots=2 allows no more files') == 1, 'said: %s', done)


def refused():
    """Where there is no flight recorder, or a file is in the way: before anything runs."""
    with folder() as place:
        path = os.path.join(place, 'data')
        for options in ((), ('-x', 'bufpolicy=ring'), ('-E', path)):
            done = harness.run([harness.DTRACE, *options, '-n', 'BEGIN { snapshot(); exit(0); }'])
            harness.check(done.status == 1 and 'it needs -x bufpolicy=ring and -E FILE' in done.err
                          and not os.listdir(place), '%s: %s', options, done)
        os.symlink('nowhere', path + '.3')
        done = record(path, 'BEGIN { snapshot(); }', 'true')
        harness.check(done.status == 1 and 'data.3, the file of a snapshot(), exists' in done.err
                      and os.listdir(place) == ['data.3'], 'a file in the way: %s', done)


def planted():
    """A link that comes during the run is not followed; the status says that a file is missing."""
    with folder() as place:
        path = os.path.join(place, 'data')
        done = record(path, 'syscall::exit_group:entry /execname == "sh"/ { snapshot(); }',
                      "/bin/sh -c 'ln -s elsewhere %s.1; exit 0'" % path)
        harness.check(done.status == 1 and 'data.1: File exists' in done.err, 'the run: %s', done)
        harness.check(sorted(os.listdir(place)) == ['data', 'data.1'], 'files: %s',
                      os.listdir(place))


CASES = {'taken_' + name: functools.partial(taken, name) for name in TAKEN}
CASES.update({function.__name__: function
              for function in (threads, perf_script, limit, refused, planted)})

if __name__ == '__main__':
    harness.main(CASES)
