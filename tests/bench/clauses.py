# SPDX-License-Identifier: MIT
"""Clauses at the entry of hot() for tests/bench/run, and what they cannot pass by.

A tool is a function of the bench, the number of threads and how the calls depend on each
other; it gives ns per call of the best slice.
"""
import os

# one clause each, at the entry of hot()
CLAUSES = ['/arg0 == 5/ { @ = count(); }', '{ @ = sum(arg0); }', '{ @ = quantize(arg0); }',
           '{ @[arg0 & 7] = count(); }', '{ @[tid] = count(); }', '{ @[probefunc] = sum(arg0); }',
           '{ x++; }', '{ self->n++; }']
PRINTF = '{ printf("%d %s\\n", arg0, probefunc); }'


def clause(text, calls=4000000, options=()):
    """A tool: this clause at the entry of hot()."""
    def measure_it(bench, threads, how):
        calls_here = calls // bench.scale
        command = ' '.join(bench.hot_command(calls_here, threads) + [how])
        return bench.best([bench.dtrace, '-q', *options, '-o', os.devnull, '-n',
                           'fpid$target:a.out:hot:entry ' + text, '-c', command], calls_here)
    return measure_it


def printf(bench, threads, how):
    """Each record is printed: a burst fits into the buffer, and is read in the pause."""
    calls = 200000 // bench.scale
    path = os.path.join(bench.folder, 'printed')
    ns = bench.best([bench.dtrace, '-q', '-x', 'bufsize=16m', '-x', 'switchrate=100hz', '-o',
                     path, '-n', 'fpid$target:a.out:hot:entry ' + PRINTF, '-c',
                     ' '.join(bench.hot_command(calls, threads) + [how])], calls)
    with open(path, encoding='utf-8') as f:
        lines = sum(1 for line in f if line.endswith(' hot\n'))
    os.unlink(path)
    if lines != calls:
        raise bench.unavailable('%d of %d records' % (lines, calls))
    return ns


def line(bench, threads, how):
    """Two local variables at the line of a loop that calls hot()."""
    with open(os.path.join(os.path.dirname(__file__), 'hot.c'), encoding='utf-8') as f:
        number = f.read().split('v += hot(i) - i;')[0].count('\n') + 1
    calls = 2000000 // bench.scale
    return bench.best([bench.dtrace, '-q', '-o', os.devnull, '-n',
                       'fpid$target:a.out::hot.c@%d { @ = sum(locals.i + locals.v); }' % number,
                       '-c', ' '.join(bench.hot_command(calls, threads) + [how])], calls)


def instead(how):
    """A tool: what hot does in the place of a call."""
    return lambda bench, threads, _: bench.hooked(threads, how)


# What timestamp has to read at least, and what it reads where the counter is no clock.
TWICE = ['counter read twice', 'clock_gettime(CLOCK_MONOTONIC) twice']
TOOLS = [('counter read', instead('counter')), (TWICE[0], instead('counters')),
         ('clock_gettime(CLOCK_MONOTONIC)', instead('clock')), (TWICE[1], instead('clocks'))]
TOOLS += [('fpid ' + text, clause(text)) for text in CLAUSES]
TOOLS += [('fpid -x native=off ' + text, clause(text, 1000000, ('-x', 'native=off')))
          for text in CLAUSES[:2]]
TOOLS += [('fpid line { @ = sum(locals.i + locals.v); }', line)]
RECORDING = [('fpid ' + PRINTF, printf)]
