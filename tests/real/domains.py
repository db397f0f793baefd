#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trust domains: only peers share D variables by jumps. Others are served by breakpoints,
also when they become others while they run. The counts are always the true ones."""
import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402

COUNTS = 'fpid$target:a.out:work:entry { @[pid == $target ? "parent" : "child"] = count(); '
# Each of them is a variable that the processes of a run share.
SHARED = {'global': 'last = arg0; }', 'array': 'seen[arg0] = 1; }',
          'thread': 'self->n = arg0; }', 'speculation': 'this->s = speculation(); }'}
CHANGED = r'^dtrace: pid \d+: its %s changed: breakpoints serve its probes$'
WORDS = {'user': 'user', 'privs': 'no_new_privs'}
F_SEAL_FUTURE_WRITE = 16  # linux/fcntl.h
REASON = "the process has other credentials than those that share the program's variables"


def served(result):
    """Sites by breakpoints, all sites, hits by breakpoints, all hits."""
    said = re.search(r'^dtrace: fpid: (\d+) of (\d+) sites are breakpoints; they served '
                     r'(\d+) of (\d+) hits', result.err, re.M)
    harness.check(said, '%s', result)
    return tuple(int(n) for n in said.groups())


def family(what, clause):
    if what == 'user' and os.geteuid() != 0:
        raise harness.Skipped('only root can become another user')
    result = harness.run([harness.DTRACE, '-x', 'follow', '-n', COUNTS + clause, '-c',
                          '%s %s child' % (harness.target('demoted'), what)])
    true = harness.truth(result.out)[0]
    harness.check(result.status == 0 and 'drop' not in result.err, '%s', result)
    harness.same_counts({name: true[name] for name in ('parent', 'child')},
                        harness.counts(result.out), result)
    return result, true


def demoted(what, clause):
    result, true = family(what, clause)
    harness.check(re.search(CHANGED % WORDS[what], result.err, re.M), '%s', result)
    harness.check(served(result) == (1, 2, 1000, 4000), '%s', result)
    # it has lost a writable mapping that it shared with its parent
    harness.check(true['taken'] == 1, '%s', result)


def user():
    """A child of root becomes nobody: from then on it shares no variable."""
    demoted('user', SHARED['global'])


def privs():
    """What a user other than root can give up counts as well, for each kind of variable."""
    for clause in SHARED.values():
        demoted('privs', clause)


def nothing():
    """A child that stays as it was keeps its jumps and the variables."""
    result, true = family('nothing', SHARED['global'])
    harness.check(served(result) == (0, 2, 0, 4000) and true['taken'] == 0, '%s', result)
    harness.check('changed' not in result.err, '%s', result)


def alone():
    """A process that shares with no other takes its domain along."""
    result = harness.run([harness.DTRACE, '-x', 'follow', '-n', COUNTS + SHARED['global'],
                          '-c', harness.target('demoted') + ' privs alone'])
    harness.check(harness.counts(result.out) == {'parent': 2000}, '%s', result)
    harness.check(served(result) == (0, 1, 0, 2000), '%s', result)


def set_id():
    """A child that executes a set-id program of root, whose parent is nobody: it maps
    nothing of what its parent can write."""
    if os.geteuid() != 0:
        raise harness.Skipped('only root can make a set-id program of another user')
    with tempfile.TemporaryDirectory(dir='/var/tmp') as folder:  # not mounted nosuid
        os.chmod(folder, 0o755)
        copy = shutil.copy(harness.target('demoted'), folder)
        os.chmod(copy, 0o4755)
        result = harness.run([harness.DTRACE, '-x', 'follow', '-n', COUNTS + SHARED['global'],
                              '-c', '%s user parent %s' % (copy, copy)])
    true = harness.truth(result.out)[0]
    harness.check(true['user'] == 0 and true['shared'] == 0, '%s', result)
    harness.same_counts({name: true[name] for name in ('parent', 'child')},
                        harness.counts(result.out), result)
    # parent, child before it executes, child after
    harness.check(served(result) == (1, 3, 2000, 4000), '%s', result)
    harness.check(len(re.findall(r'^dtrace: pid \d+: breakpoints serve its probes: ' + REASON,
                                 result.err, re.M)) == 1, '%s', result)


class Waiting:
    """Two processes, the second of which is no peer of the first."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.processes, self.files = [], []
        for what in 'nothing', 'privs':
            path = os.path.join(self.folder.name, what)
            self.processes.append(subprocess.Popen(
                [harness.target('demoted'), what, 'before', path],
                stdout=subprocess.PIPE, text=True))
            self.files.append(path)
        harness.until(lambda: all(os.path.exists(f) for f in self.files), 20, 'both begin')
        privs_set = re.compile(r'^NoNewPrivs:\s*1$', re.M)
        harness.until(lambda: privs_set.search(self.status(1)), 20, 'the second gives up')
        return self

    def status(self, i):
        with open('/proc/%d/status' % self.processes[i].pid, encoding='utf-8') as f:
            return f.read()

    def options(self):
        return [word for p in self.processes for word in ('-p', str(p.pid))]

    def __exit__(self, *_):
        for p in self.processes:
            p.kill()
            p.communicate()
        self.folder.cleanup()


def two(clause, begin='50ms'):
    with Waiting() as both:
        text = ''.join('fpid%d:a.out:work:entry { @["%s"] = count(); %s ' %
                       (p.pid, 'ab'[i], clause) for i, p in enumerate(both.processes))
        command = [harness.DTRACE, *both.options(), '-n', text +
                   'diag:::site { printf("site %s: %s\\n", args[1], args[2]); } '
                   'tick-' + begin + ' /!done/ { done = 1; system("rm ' +
                   ' '.join(both.files) + '"); }']
        if clause == '}':
            command[-1] = command[-1].replace('/!done/ { done = 1; ', '{ ').replace('rm ', 'rm -f ')
        return harness.run([*command, '-w'], timeout=60)


def foreign():
    """The first process sets the domain, the other one gets breakpoints, and the reason."""
    result = two(SHARED['global'])
    harness.check(harness.counts(result.out) == {'a': 1000, 'b': 1000}, '%s', result)
    harness.check(served(result) == (1, 2, 1000, 2000), '%s', result)
    harness.check('site breakpoint: ' + REASON in result.out, '%s', result)
    harness.check('site jump: \n' in result.out, '%s', result)
    harness.check(len(re.findall(r'^dtrace: pid \d+: breakpoints serve its probes: ' + REASON,
                                 result.err, re.M)) == 1, '%s', result)


def looked_after():
    """The process with breakpoints alone is looked after as well, a second later."""
    result = two(SHARED['global'], '1200ms')
    harness.check(harness.counts(result.out) == {'a': 1000, 'b': 1000}, '%s', result)
    harness.check('died' not in result.err, '%s', result)


def unshared():
    """A program without variables shares nothing: both get jumps."""
    result = two('}')
    harness.check(harness.counts(result.out) == {'a': 1000, 'b': 1000}, '%s', result)
    harness.check(served(result) == (0, 2, 0, 2000), '%s', result)


def listed():
    """-l -v says so before."""
    with Waiting() as both:
        text = ''.join('fpid%d:a.out:work:entry { last = 1; } ' % p.pid
                       for p in both.processes)
        result = harness.run([harness.DTRACE, '-lv', *both.options(), '-n', text])
    harness.check(result.out.count(REASON) == 1 and result.status == 0, '%s', result)


def sealed():
    """What a process maps of ours takes no further seals, by which it could keep others
    from mapping it. What it may only read, it can never write to."""
    if os.geteuid() != 0:
        raise harness.Skipped('only root can open what another process maps')
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'file')
        with subprocess.Popen([harness.target('demoted'), 'nothing', 'before', path],
                              stdout=subprocess.PIPE, text=True) as p:
            harness.until(lambda: os.path.exists(path), 20, 'it begins')
            with subprocess.Popen([harness.DTRACE, '-qn', 'fpid$target:a.out:work:entry '
                                   '{ last = arg0; ustack(); @ = count(); }', '-p', str(p.pid)],
                                  stdout=subprocess.PIPE, text=True) as tracer:
                harness.until(lambda: len(our_files(p.pid)) > 6, 20, 'it is injected')
                files = our_files(p.pid)
                os.unlink(path)
                tracer.communicate(timeout=30)
    for line, seals in files:
        harness.check(seals & fcntl.F_SEAL_SEAL and seals & fcntl.F_SEAL_SHRINK and
                      seals & fcntl.F_SEAL_GROW, '%s: seals %x', line, seals)
        harness.check(' rw-s ' in line or seals & F_SEAL_FUTURE_WRITE, '%s: seals %x', line,
                      seals)
    harness.check(len([1 for line, _ in files if ' r--s ' in line]) >= 4, '%s', files)


def our_files(pid):
    """(line of maps, seals) of the memory files that it maps."""
    found = []
    with open('/proc/%d/maps' % pid, encoding='utf-8') as maps:
        for line in maps:
            if '/memfd:' not in line:
                continue
            try:
                fd = os.open('/proc/%d/map_files/%s' % (pid, line.split()[0]), os.O_RDONLY)
            except FileNotFoundError:
                continue  # replaced meanwhile
            found.append((line, fcntl.fcntl(fd, fcntl.F_GET_SEALS)))
            os.close(fd)
    return found


harness.main({'user': user, 'privs': privs, 'nothing': nothing, 'alone': alone,
              'set_id': set_id, 'foreign': foreign, 'looked_after': looked_after,
              'unshared': unshared, 'listed': listed, 'sealed': sealed})
