#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Code that programs make at run time: its names in stacks, mixed with native frames."""
import contextlib
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
from attached import text_of, tracers  # noqa: E402

MARK = 'pid$target:a.out:mark:entry '
CHAIN = ['generated`mark', 'jit`JS:*leaf /a/b.js:1:2+0xd',
         'jit`odd;name\\x1b[2J caf\u00e9\\xff+0xd', 'jit`Shop.Worker:Main (string[])+0xd']


def traced(program, command, *args, **kwargs):
    """As harness.traced(). The target leaves its map behind."""
    result = harness.traced(program, command, *args, **kwargs)
    for path in re.findall(r'^map: (/tmp/perf-\d+\.map)$', result.out, re.M):
        os.unlink(path)
    return result


def chain(text):
    """The frames of the one stack that a run has printed."""
    return [line.strip() for line in text.splitlines() if '`' in line]


def stacks():
    """Names are clean, the newest counts, and they are still known after the end."""
    result = traced(MARK + '{ @[ustack(4)] = count(); }', harness.target('generated'))
    harness.check(chain(result.data) == CHAIN and '3' in result.data.split(), '%s', result)
    result = traced(MARK + '{ ustack(4); }', harness.target('generated'), ['-q'])
    harness.check(chain(result.data) == CHAIN * 3, '%s', result)


def folded():
    """In a folded stack no name ends its frame."""
    result = traced(MARK + '{ @[ustack(4)] = count(); }', harness.target('generated'),
                            ['-O', 'folded'])
    frames = [re.sub(r'\+0x\w+$', '', f).replace(';', ',') for f in reversed(CHAIN)]
    harness.check(result.data == ';'.join(frames) + ' 3\n', '%s', result)


def functions():
    """ufunc(), usym() and umod() of the caller; addresses of one function are one key."""
    result = traced(
        MARK + '{ @f[ufunc(ucaller)] = count(); @s[usym(ucaller)] = count();'
        ' @m[umod(ucaller)] = count(); @o[usym(ucaller - 1), usym(ucaller)] = count(); }',
        harness.target('generated'), ['-q'])
    name = r'jit`JS:\*leaf /a/b\.js:1:2 +'
    harness.check(re.search('^ +%s3$' % name, result.data, re.M) and
                  re.search('^ +jit +3$', result.data, re.M) and
                  re.search('^ +%s%s3$' % (name, name), result.data, re.M), '%s', result)


def moves():
    """Probes in generated code come and go with it. Names match as they are written."""
    result = traced('pid$target:jit:Shop.Worker:Handle:entry, '
                    'pid$target:jit:Shop.Worker:Handle[TL]*:entry '
                    '{ @[probefunc, arg0 != 0] = count(); }',
                    harness.target('generated') + ' moves')
    found = dict(re.findall(r'^  (Shop\S+ \(int\)) +1 +(\d+)$', result.data, re.M))
    harness.check(found == {'Shop.Worker:Handle (int)': '5',
                            'Shop.Worker:HandleTwice (int)': '6',
                            'Shop.Worker:HandleLate (int)': '7'} and
                  'mark 27\n' in result.out, '%s', result)
    changed = re.findall(r"the code of '(.*)' has changed: its probe is gone", result.err)
    harness.check(changed == ['Shop.Worker:Handle (int)'] * 2, '%s', result)


def shared():
    """Memory that other processes share gets no breakpoint, and a line says why. Its names
    are in stacks all the same."""
    result = traced('pid$target:jit:Shop.Worker:Handle:entry { @p = count(); } ' +
                    MARK + '{ @[umod(ucaller)] = count(); }',
                    harness.target('generated') + ' shared')
    harness.check(re.search(r'cannot trace \w+:jit:Shop.Worker:Handle \(int\):entry at \w+: its '
                            'memory is shared with other processes', result.err), '%s', result)
    harness.check(harness.counts(result.data) == {'jit': 3} and 'mark 3\n' in result.out and
                  harness.target_status(result) == 0, '%s', result)


def unlisted():
    """A program that lists no code: that is said when listing, and at the end."""
    why = 'lists no generated code, in a perf map'
    name = harness.PROVIDER + '$target:jit::entry'
    result = harness.run([harness.DTRACE, '-ln', name, '-c', 'true'])
    harness.check(result.status == 1 and why in result.err, '%s', result)
    result = harness.run([harness.DTRACE, '-n', name, '-c', 'true'])
    harness.check(re.search('did not match any probes\n\tprocess .*' + why, result.err), '%s',
                  result)
    result = traced(name.replace('::', ':NoSuch:'), harness.target('generated'))
    harness.check('did not match any probes\n' in result.err and why not in result.err, '%s',
                  result)


def attached(then):
    """A target that calls a function of its map, and what then(its pid) does; it must
    end by itself, with its own code."""
    with subprocess.Popen([harness.target('generated'), 'calls'], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, encoding='utf-8') as p:
        path = p.stdout.readline().split()[1]
        try:
            then(str(p.pid))
            out, _ = p.communicate(timeout=60)
        finally:
            p.kill()
            os.unlink(path)
    harness.check(p.returncode == 0 and out.startswith('mark '), '%s: %s', p.returncode, out)


def running():
    """What is listed already is matched when compiling; a listing says how it is served."""
    name = harness.PROVIDER + '$target:jit:Shop.Worker:Handle:'

    def trace(pid):
        listing = harness.run([harness.DTRACE, '-lvn', name + 'entry', '-p', pid])
        harness.check('Shop.Worker:Handle (int) entry' in listing.out and
                      ('breakpoint: its code may be moved' in listing.out or
                       harness.PROVIDER == 'pid'), '%s', listing)
        result = harness.run([harness.DTRACE, '-n', name + 'entry /++n == 5/ '
                              '{ trace(probefunc); exit(0); }', '-p', pid])
        harness.check(harness.matched(result) == 1 and
                      'Shop.Worker:Handle (int)' in result.out, '%s', result)
        result = harness.run([harness.DTRACE, '-n', name + 'return', '-p', pid])
        harness.check(result.status == 1 and 'generated code has only entry probes'
                      in result.err, '%s', result)
    attached(trace)


def first_hit(pid):
    """dtrace -p, and its keeper, after the first hit of a probe."""
    p = subprocess.Popen([harness.DTRACE, '-qn', harness.PROVIDER +
                          '$target:jit:Shop*:entry { printf("hit\\n"); }', '-p', pid],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    hit = p.stdout.readline()
    with open('/proc/%d/task/%d/children' % (p.pid, p.pid), encoding='utf-8') as f:
        keeper = int(f.read().split()[0])
    harness.check(hit == b'hit\n', '%s', hit)
    return p, keeper


def killed():
    """A killed dtrace leaves no breakpoint and no keeper behind; that of a killed target
    ends."""
    def kill(pid):
        code = text_of(int(pid))
        with contextlib.closing(Ended(*first_hit(pid))) as tracing:
            tracing.p.kill()
        harness.until(lambda: not tracers(int(pid)), 20, 'nobody traces it')
        after = text_of(int(pid))
        changed = [line for line in code if code[line] != after.get(line)]
        harness.check(not changed, 'bytes differ in %s', changed)

    attached(kill)
    with subprocess.Popen([harness.target('generated'), 'calls'], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, encoding='utf-8') as target:
        path = target.stdout.readline().split()[1]
        with contextlib.closing(Ended(*first_hit(str(target.pid)))) as tracing:
            target.kill()
        os.unlink(path)
        harness.check(tracing.p.returncode == 0, 'dtrace: %s', tracing.p.returncode)


class Ended:
    """At its end dtrace and its keeper are gone."""

    def __init__(self, p, keeper):
        self.p, self.keeper = p, keeper

    def close(self):
        self.p.communicate(timeout=60)
        harness.until(lambda: not os.path.exists('/proc/%d' % self.keeper), 20, 'no keeper')


cases = {f.__name__: f for f in (stacks, folded, functions, moves, shared, unlisted, running,
                                    killed)}


if __name__ == '__main__':
    harness.main(cases)
