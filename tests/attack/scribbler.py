#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The scribbler: rounds in which a target writes at random over all that it shares with its
tracer (scribble.c), under one of the scripts below, beside an innocent target.

    scribbler.py [-t SECONDS] [-s SEED]

Whatever it writes, the calls of the innocent target are counted and printed exactly, and
dtrace's status, messages and files are as attack.py says.

Each round has a seed of its own, which is printed when it fails: `-s SEED -t 0` runs that
round alone. As a ctest case it runs for ATTACK_SECONDS (50), or ATTACK_ROUNDS rounds from
ATTACK_SEED on.
"""
import argparse
import os
import random
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from attack import Refused, Scene, harness  # noqa: E402

SECONDS = float(os.environ.get('ATTACK_SECONDS', '50'))
ROUNDS = int(os.environ.get('ATTACK_ROUNDS', '0'))
SEED = int(os.environ.get('ATTACK_SEED', '0')) or int(time.time()) * 1000
HIT = 'fpidHOSTILE:a.out:work:entry '
RETURN = 'fpidHOSTILE:a.out:work:return '
STOP = 'pidHOSTILE:a.out:jab:entry '
SAY = 'fpidHOSTILE:a.out:say:entry '
SAY_STOP = 'pidHOSTILE:a.out:say:entry '

SCRIPTS = [
    HIT + '{ @ = count(); } ' + STOP + '{ @ = count(); }',
    HIT + '{ @[arg0] = count(); } tick-50ms { clear(@); }',
    HIT + '{ @s = sum(arg0); @a = avg(arg0); @i = min(arg0); @x = max(arg0); '
          '@d = stddev(arg0); } tick-40ms { printa(@s); printa(@a, @s); }',
    HIT + '{ @[arg0 % 5] = quantize(arg0); @l[tid] = lquantize(arg0, 0, 100, 5); '
          '@ll = llquantize(arg0, 10, 0, 6, 10); } tick-60ms { trunc(@l, 1); }',
    HIT + '{ @[probefunc, arg0] = count(); } tick-30ms { printa(@); trunc(@); }',
    HIT + '{ printf("%d %s %x\\n", arg0, probefunc, arg1); }',
    HIT + '{ trace(arg0); trace(execname); } ' + STOP + '{ trace(arg0); }',
    HIT + '{ @[ustack()] = count(); } ' + STOP + '{ @u[ustack(5)] = count(); }',
    HIT + '{ ustack(); } ' + RETURN + '{ trace(arg1); }',
    HIT + '{ self->t = timestamp; self->s = probefunc; } ' + RETURN +
    '/self->t/ { @[self->s] = quantize(timestamp - self->t); self->t = 0; self->s = 0; }',
    HIT + '{ all[arg0, tid] = probefunc; } ' + STOP + '{ all[arg0, tid] = 0; g += arg0; } '
    'tick-50ms { trace(g); }',
    HIT + '{ self->n[arg0] = arg0; } ' + STOP + '{ self->n[arg0] = 0; @ = sum(self->n[1]); }',
    HIT + '{ self->sp = speculation(); speculate(self->sp); printf("%d", arg0); } ' + RETURN +
    '/self->sp && arg1 % 2/ { commit(self->sp); self->sp = 0; } ' + RETURN +
    '/self->sp/ { discard(self->sp); self->sp = 0; }',
    SAY + '{ @[copyinstr(arg0)] = count(); } ' + SAY_STOP + '{ trace(copyinstr(arg0)); }',
    SAY + '{ s = strjoin(copyinstr(arg0), probefunc); trace(substr(s, 2, 4)); '
    'this->l = strlen(s); @[this->l] = count(); }',
    HIT + '{ @[pid] = count(); } profile-97 { @p[ustack(3)] = count(); } '
    'syscall:::entry { @c[probefunc] = count(); }',
    'proc::: { @[probename] = count(); } ' + HIT + '{ @w[curthread] = count(); }'
    .replace('curthread', 'tid'),
    HIT + '{ @a[arg0] = count(); @b[arg0, tid] = sum(arg0); @c = count(); } '
    'tick-25ms { normalize(@b, 3); printa("%d %@d %@d\\n", @a, @a); clear(@a); clear(@c); }',
    HIT + '{ this->x = copyin(arg0 * 0, 8); trace(arg0); } ERROR { @["error"] = count(); }',
    HIT + '/arg0 % 2 == 0/ { tracemem(&arg0, 8); @ = count(); }'.replace('tracemem(&arg0, 8); ',
                                                                     'stack(); '),
    HIT + '{ @ = count(); } tick-300ms { exit(0); }',
    # requests that the innocent target may make, and the hostile one not
    HIT + '{ @ = count(); } fpid$target:a.out:work:entry /arg0 > 1 << 40/ { exit(3); }',
]
OPTIONS = [[], ['-x', 'bufsize=32k'], ['-x', 'aggsize=64k'], ['-x', 'dynvarsize=32k'],
           ['-x', 'bufpolicy=ring'], ['-x', 'bufpolicy=fill'], ['-x', 'bufpolicy=wait'], ['-x', 'aggpack'],
           ['-x', 'overhead'], ['-x', 'budget=90%'], ['-x', 'statusrate=50ms']]


def one_round(seed):
    rng = random.Random(seed)
    script = rng.choice(SCRIPTS)
    options = rng.choice(OPTIONS)
    if 'aggpack' not in options and rng.random() < 0.3:
        options = options + ['-x', 'follow']
    ms = rng.choice([100, 300, 800])
    scene = Scene(script, options, calls=100)
    scene.ends_itself = 'exit(0)' in script or 'bufpolicy=fill' in options
    # with the others all that is printed is what is left at the end, or fits
    scene.prints_calls = not {'bufpolicy=ring', 'bufpolicy=fill'} & set(options)
    try:
        with scene:
            scene.order('spin %d' % rng.randrange(3))
            for _ in range(rng.randrange(1, 4)):
                scribble = 'scribble %d %d' % (rng.randrange(1 << 30), ms)
                scene.order(('child ' if 'follow' in options else '') + scribble,
                            ms / 1000 + 0.5)
                scene.innocent_works()
            if rng.random() < 0.5:
                scene.order('loads 3 ' + harness.target('plugin.so'), 1)
            if rng.random() < 0.5:
                scene.order('forks 3', 1)
            scene.innocent_works()
    except Refused as refused:
        if not scene.ends_itself:
            raise harness.Failure('seed %d: %s' % (seed, refused)) from None
    except harness.Failure as failure:
        raise harness.Failure('seed %d: %s\noptions %s\nscript: %s' % (
            seed, failure, options, script)) from None


def many_rounds(seconds, seed, rounds=0):
    end, n = time.monotonic() + seconds, 0
    while n == 0 or (n < rounds if rounds else time.monotonic() < end):
        one_round(seed + n)
        n += 1
    return '%d rounds from seed %d on' % (n, seed)


CASES = {'rounds': lambda: many_rounds(SECONDS, SEED, ROUNDS)}

if __name__ == '__main__':
    if len(sys.argv) > 1 and sys.argv[1].startswith('-') and sys.argv[1] != '--list':
        parser = argparse.ArgumentParser()
        parser.add_argument('-t', type=float, default=SECONDS)
        parser.add_argument('-s', type=int, default=int(time.time()) * 1000)
        parsed = parser.parse_args()
        CASES = {'rounds': lambda: many_rounds(parsed.t, parsed.s)}
        sys.argv = sys.argv[:1]
    harness.main(CASES)
