#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""-x follow with programs that have children: compilers, shells, a crowd that is left
suddenly. What they do must be what they do untraced."""
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
import ready  # noqa: E402

ROUNDS = 6
FORKS = 150
SEED = int(os.environ.get('STRESS_SEED', '0')) or int(time.time())
SOURCE = '#include <stdio.h>\nint f%d(int v) { return v * %d; }\n'


def provider(program):
    return program.replace('pid$', 'fpid$') if harness.PROVIDER == 'fpid' else program


def follow(command, program, folder=None, timeout=90):
    result = harness.run([harness.DTRACE, '-q', '-x', 'follow', '-c', command,
                          '-n', provider(program)], timeout=timeout, cwd=folder)
    harness.check(result.status == 0, '%s', result)
    harness.check('cannot trace' not in result.err, '%s', result)
    return result


def read(*path):
    with open(os.path.join(*path), 'rb') as f:
        return f.read()


def compiler():
    """Driver, compiler and assembler are seen; the object file is the same."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'x.c'), 'w', encoding='utf-8') as f:
            f.write(SOURCE % (1, 1))
        subprocess.run(['gcc', '-c', 'x.c', '-o', 'plain.o'], cwd=folder, check=True)
        result = follow('gcc -c x.c -o traced.o',
                        'pid$target:libc.so.6:malloc:entry { @[execname] = count(); }', folder)
        seen = harness.counts(result.out)
        for name in ('gcc', 'cc1', 'as'):
            harness.check(seen.get(name, 0) > 0, 'nothing of %s in\n%s', name, result.out)
        harness.check(read(folder, 'plain.o') == read(folder, 'traced.o'), 'the files differ')


def make():
    """A parallel make: each job a child of a child."""
    with tempfile.TemporaryDirectory() as folder:
        names = ['x%d' % i for i in range(4)]
        for i, name in enumerate(names):
            with open(os.path.join(folder, name + '.c'), 'w', encoding='utf-8') as f:
                f.write(SOURCE % (i, i))
        with open(os.path.join(folder, 'Makefile'), 'w', encoding='utf-8') as f:
            f.write('all: %s\n%%.o: %%.c\n\tcc -c $< -o $@ && :\n' %
                    ' '.join(name + '.o' for name in names))
        result = follow(harness.installed('make') + ' -s -j3', 'proc:::exec-success { @[execname] = count(); } '
                        'pid$target:libc.so.6:malloc:entry { @calls = count(); }', folder)
        seen = harness.counts(result.out)
        harness.check(seen.get('cc1') == len(names) and seen.get('as') == len(names),
                      'counted\n%s', result.out)
        harness.check(all(os.path.exists(os.path.join(folder, n + '.o')) for n in names),
                      'not all was made')


def shell():
    """A script that forks all the time says what it says untraced."""
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, 'script')
        with open(script, 'w', encoding='utf-8') as f:
            f.write('#!/bin/bash\nfor i in {1..%d}; do s+=$(echo $i | tr 0-9 a-j); done\n'
                    'echo $s\n' % (FORKS // 3))
        plain = subprocess.run(['bash', script], capture_output=True, text=True, check=True)
        result = follow('bash ' + script,
                        'pid$target:libc.so.6:fork:return /arg1 == 0/ { @["born"] = count(); } '
                        'proc:::exit { @["gone"] = count(); }')
        harness.check(plain.stdout in result.out, '%s', result)
        seen = harness.counts(result.out)
        # bash runs the last command of a substitution without another fork, or not
        harness.check(seen['born'] >= FORKS // 3 * 2 and seen['gone'] == seen['born'] + 1,
                      '%s', result)


def killed():
    """Children that are killed at any moment, while they get their probes too: nothing is
    said of them, and each has its beginning and its end."""
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, 'script')
        with open(script, 'w', encoding='utf-8') as f:
            f.write('for i in {1..40}; do\n'
                    'timeout -s KILL 0.0$((RANDOM % 9)) ls -R /usr/share/doc &\n'
                    'timeout -s KILL 0.0$((RANDOM % 9)) sh -c "ls / & ls / & wait" &\n'
                    'sleep 0.02; done > /dev/null 2>&1; wait\n')
        result = follow('bash ' + script,
                        'pid$target:libc.so.6:[m-s]*:entry { @[execname] = count(); } '
                        'proc:::start { @["start of all"] = count(); } '
                        'proc:::exit { @["exit of all"] = count(); }', timeout=170)
    seen = harness.counts(result.out)
    # the first process had begun before
    harness.check(seen['exit of all'] == seen['start of all'] + 1 > 160, '%s', result)
    said = [line for line in result.err.splitlines() if line.startswith('dtrace: ')]
    harness.check(not said, 'it says\n%s', '\n'.join(said))


def stillborn():
    """Children that are killed at once, before the files that they map are looked at."""
    with tempfile.NamedTemporaryFile('w', suffix='.sh') as script:
        script.write('for i in {1..60}; do (echo; sleep 9) & kill -9 $!; done >/dev/null 2>&1\n'
                     'wait\n')
        script.flush()
        result = follow('bash ' + script.name, 'pid$target:bash:xmalloc:entry { @ = count(); }')
    harness.check('dtrace: ' not in result.err, '%s', result)
    harness.check(int(result.out) > 100, '%s', result)


def files():
    """What jumps may go to is looked up once in a file, however many processes map it."""
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, 'script')
        with open(script, 'w', encoding='utf-8') as f:
            f.write('for i in {1..20}; do echo $i | tr 1 2; done\n')
        result = harness.run([harness.DTRACE, '-q', '-x', 'follow', '-n',
                              provider('pid$target:libc.so.6:read:return '
                                       '/execname == "tr"/ { @[pid] = count(); }'), '-c',
                              'bash ' + script], env={'DTRACE_DEBUG': 'plan'})
    traced = re.findall(r'^ +\d+ +\d+$', result.out, re.M)
    harness.check(len(traced) == 20, '%d processes: %s', len(traced), result)
    seen = re.findall(r"^plan: read '.*/libc\.so\.6'$", result.err, re.M)
    harness.check(len(seen) == (harness.PROVIDER == 'fpid'), '%d times: %s', len(seen), result)


def redis():
    """The child that saves is seen; the server answers and ends in order."""
    with tempfile.TemporaryDirectory() as folder:
        socket = os.path.join(folder, 'socket')
        program = os.path.join(folder, 'redis-server')
        # The server is the checker by another name.
        os.symlink(harness.installed('redis-check-rdb'), program)
        server = program + ' --port 0 --unixsocket %s --dir %s' % (socket, folder)
        with subprocess.Popen([harness.DTRACE, '-q', '-x', 'follow', '-c', server, '-n',
                               provider('pid$target:libc.so.6:rename:entry '
                                        '{ @["renamed"] = count(); } '
                                        'proc:::start { @["born"] = count(); }')],
                              stdout=subprocess.PIPE, text=True) as p:
            try:
                cli = [harness.installed('redis-cli'), '-s', socket]
                harness.until(lambda: os.path.exists(socket), 30, 'the server')
                for words in (['set', 'a', 'b'], ['bgsave']):
                    subprocess.run(cli + words, check=True, stdout=subprocess.DEVNULL)
                harness.until(lambda: os.path.exists(os.path.join(folder, 'dump.rdb')), 30,
                              'the file')
                subprocess.run(cli + ['shutdown', 'nosave'], check=True)
                out = p.communicate(timeout=30)[0]
            finally:
                p.kill()
        seen = harness.counts(out)
        harness.check(seen.get('renamed') == 1 and seen.get('born') == 1, 'printed\n%s', out)


def members(group):
    """The live processes of a process group."""
    found = []
    for pid in map(int, filter(str.isdigit, os.listdir('/proc'))):
        try:
            if os.getpgid(pid) == group:
                found.append(pid)
        except OSError:
            continue
    return found


def is_traced(pid):
    try:
        with open('/proc/%d/status' % pid, encoding='utf-8', errors='replace') as f:
            return not re.search(r'^TracerPid:\t0$', f.read(), re.M)
    except OSError:
        return False


def leave(sig, moments):
    """Tracing ends while a crowd makes children: every process has its own text and lives on."""
    with subprocess.Popen([harness.target('family'), 'crowd'], stdout=subprocess.PIPE,
                          text=True, start_new_session=True) as crowd, \
            tempfile.TemporaryFile('w+') as out:
        try:
            tracing = subprocess.Popen(
                [harness.DTRACE, '-q', '-x', 'follow', '-x', 'switchrate=10ms',
                 '-p', str(crowd.pid), '-n',
                 provider('pid$target:a.out::entry, pid$target:a.out:work:return '
                          '{ @[probefunc, pid] = count(); } tick-100ms { printf("ready\\n"); }')],
                stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
            harness.until(lambda: 'ready' in harness.content(out) or
                          tracing.poll() is not None, 20, 'the probes')
            crowd.send_signal(signal.SIGUSR1)
            time.sleep(moments.uniform(0.02, 0.6))  # while it makes children, or later
            tracing.send_signal(sig)
            tracing.wait(15)
            harness.until(lambda: not any(map(is_traced, members(crowd.pid))), 5, 'the end of tracing')
            # itself and 12 children, which live on without dtrace
            harness.until(lambda: len(members(crowd.pid)) == 13, 10, 'all births')
            crowd.send_signal(signal.SIGTERM)
            line = crowd.communicate(timeout=20)[0]
            harness.check(line.startswith('text same children 12') and crowd.returncode == 0,
                          'status %d: %s\n%s', crowd.returncode, line, harness.content(out))
        finally:
            for pid in members(crowd.pid):
                os.kill(pid, signal.SIGKILL)


def rounds(sig):
    moments = random.Random(SEED)
    for number in range(ROUNDS):
        try:
            leave(sig, moments)
        except harness.Failure as failure:
            raise harness.Failure('round %d (STRESS_SEED=%d): %s' % (
                number + 1, SEED, failure)) from None


def seen(path, what):
    """The pids that lines of the output give after a word."""
    return {int(pid) for pid in re.findall(r'^%s (\d+)$' % what, read(path).decode(), re.M)}


def all_seen(path, pids):
    """Whether the members that work() was seen in are those with calls, among them these."""
    found = [seen(path, what) for what in ('work', 'call')]
    return found[0] == found[1] and found[0] >= pids


def follow_crowd(option, delay):
    """Attaches to a process that is making children: the pids that work() was called in, and
    those of all members. Each member goes on calling it."""
    program = provider('pid$target:a.out:work:entry /!work[pid]/ '
                       '{ work[pid] = 1; printf("work %d\\n", pid); } syscall:::entry '
                       '/!call[pid]/ { call[pid] = 1; printf("call %d\\n", pid); }')
    with tempfile.TemporaryDirectory(prefix='crowd-') as folder, \
            subprocess.Popen([harness.target('family'), 'crowd'], stdout=subprocess.PIPE,
                             text=True, start_new_session=True) as crowd:
        data = os.path.join(folder, 'data')
        os.close(os.open(data, os.O_CREAT))
        try:
            harness.until(lambda: ready.waits(crowd.pid), 10, 'its start')
            crowd.send_signal(signal.SIGUSR1)
            harness.until(lambda: len(members(crowd.pid)) > 1, 10, 'a birth')
            time.sleep(delay)
            before = set(members(crowd.pid))
            with subprocess.Popen(
                    [harness.DTRACE, '-q', '-x', option, '-x', 'switchrate=10ms', '-o', data,
                     '-p', str(crowd.pid), '-n', program],
                    stderr=subprocess.PIPE, text=True) as tracing:
                try:
                    harness.until(lambda: len(members(crowd.pid)) == 13, 10, 'all births')
                    everyone = set(members(crowd.pid))
                    harness.until(lambda: tracing.poll() is not None or all_seen(
                        data, everyone if option == 'follow' else {crowd.pid}), 20, 'all calls')
                finally:
                    tracing.send_signal(signal.SIGINT)
                err = tracing.communicate(timeout=20)[1]
            harness.check(tracing.returncode == 0 and 'not traced' not in err, '%s', err)
            crowd.send_signal(signal.SIGTERM)
            line = crowd.communicate(timeout=20)[0]
            harness.check(line.startswith('text same children 12'), '%s', line)
        finally:
            for pid in members(crowd.pid):
                os.kill(pid, signal.SIGKILL)
            found = [seen(data, what) for what in ('work', 'call')]
    harness.check(found[0] == found[1], 'work in %s, calls in %s', *found)
    return found[0], everyone, before - {crowd.pid}


def existing():
    """The children that a process of -p has are traced, too, whenever they were born."""
    for delay in 0.5, 0.02, 0.1, 0.2:
        found, everyone, _ = follow_crowd('follow', delay)
        harness.check(found == everyone, 'after %g s: %s of %s', delay, found, everyone)


def only_new():
    """With follow=new only those that are born from then on."""
    found, everyone, before = follow_crowd('follow=new', 0.1)
    harness.check(before and before.isdisjoint(found) and found, '%s of %s, before: %s', found,
                  everyone, before)


harness.main({'compiler': compiler, 'make': make, 'shell': shell, 'killed': killed,
              'stillborn': stillborn,
              'files': files, 'redis': redis, 'existing': existing, 'only_new': only_new,
              'interrupt': lambda: rounds(signal.SIGINT),
              'kill': lambda: rounds(signal.SIGKILL)})
