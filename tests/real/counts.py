#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Exact counts: every test program says itself how often it called what."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402

MAIN_JOB = 'pid$target:a.out::entry {@[probefunc] = count();}'
BOTH = ('pid$target:a.out::entry { @e[probefunc] = count(); } '
        'pid$target:a.out::return { @r[probefunc] = count(); } '
        'END { printa("E %s %@d\\n", @e); printa("R %s %@d\\n", @r); }')

# Programs that print the same in every run, then those that do not.
STEADY = ['plain', 'plain_O0', 'plain_cet', 'plain_nopie', 'plain_static',
          'plain_static_pie', 'plain_dynsym', 'plain_stripped', 'plain_no_header', 'overlap',
          'recurse', 'throwing',
          'jump', 'context', 'threads', 'threads_static', 'tiny', 'tail', 'switcher',
          'forker', 'vforker', 'sigtrap', 'faulty', 'pooled', 'plain_musl', 'plain_musl_dynamic', 'recurse_musl',
          'threads_musl', 'jump_musl', 'forker_musl', 'tail_musl', 'goroutines',
          'goroutines_pie_stripped', 'panics', 'multitude']
VARYING = ['alarm']


def unchanged(name, result):
    """The target printed and returned what it does untraced."""
    alone = harness.run([harness.target(name)])
    if name not in VARYING:
        harness.check(result.out == alone.out, 'the program printed\n%s\ninstead of\n%s',
                      result.out, alone.out)
    ended = harness.target_status(result)
    harness.check(ended == harness.status_name(alone.status),
                  'the program ended with %s instead of %s', ended, alone.status)


def entry(name):
    result = harness.traced(MAIN_JOB, harness.target(name))
    unchanged(name, result)
    calls, _ = harness.truth(result.out)
    counted = harness.counts(result.data)
    harness.same_counts(calls, counted, 'entries')
    cold = [f for f in counted if f.endswith('.cold')]
    harness.check(not cold, 'parts shown as functions: %s', cold)
    return '%d functions, %d calls' % (len(counted), sum(counted.values()))


def both(name):
    result = harness.traced(BOTH, harness.target(name))
    unchanged(name, result)
    calls, returns = harness.truth(result.out)
    harness.same_counts(calls, harness.tagged(result.data, 'E'), 'entries')
    harness.same_counts(returns, harness.tagged(result.data, 'R'), 'returns')
    return None


def once():
    """A program that prints nothing: the only output is dtrace's."""
    result = harness.traced(MAIN_JOB, harness.target('once'))
    unchanged('once', result)
    counted = harness.counts(result.data)
    harness.check(counted.get('f') == 1 and counted.get('main') == 1, 'counted %s', counted)
    harness.check(result.out == '', 'printed %r', result.out)


def loader(turns, probes):
    """dlopen so many times: probes appear before the constructor runs."""
    command = '%s %s %d' % (harness.target('loader'), harness.target('plugin.so'), turns)
    result = harness.traced(probes + ',pid$target:a.out:turn:entry {@[probefunc] = count();}',
                            command, ['-Z'])
    harness.check('cannot trace' not in result.err, '%s', result)
    calls, _ = harness.truth(result.out)
    harness.same_counts(calls, harness.counts(result.data), 'entries')


def dies(how, ended):
    result = harness.traced(MAIN_JOB, '%s %s' % (harness.target('dies'), how))
    counted = harness.counts(result.data)
    harness.check(counted.get('doomed') == 5, 'counted %s', counted)
    harness.check(harness.target_status(result) == ended, '%s', result)


def execer():
    """The specifiers apply to the new image after exec as well."""
    command = '%s %s' % (harness.target('execer'), harness.target('plain'))
    result = harness.traced(MAIN_JOB, command)
    calls, _ = harness.truth(result.out)
    calls['before'] = 7
    harness.same_counts(calls, harness.counts(result.data), 'entries')


def several():
    """Two clauses on one probe, and entry together with offset 0."""
    result = harness.traced('pid$target:a.out:beta:entry { @["a"] = count(); } '
                            'pid$target:a.out:beta:entry { @["b"] = count(); } '
                            'pid$target:a.out:beta:0 { @["c"] = count(); }',
                            harness.target('plain'))
    harness.same_counts({'a': 500, 'b': 500, 'c': 500}, harness.counts(result.data), 'clauses')


def sigtrap_closed():
    """Hits while SIGTRAP is ignored or blocked: counted, and the program lives."""
    result = harness.traced('pid$target:a.out:work:entry {@[probefunc] = count();}',
                            harness.target('sigtrap') + ' closed')
    calls, _ = harness.truth(result.out)
    harness.check(calls['work'] == 300 and harness.target_status(result) == 0, '%s', result)
    harness.same_counts(calls, harness.counts(result.data), 'entries')


def stepping():
    """A program that steps through its own code goes on: each call counts once, at entry,
    return and every instruction."""
    path = harness.target('stepping')
    steps = 'pid$target:a.out:work:, pid$target:a.out:stepped: {@[probefunc, probename] = count();}'
    for probes in (BOTH, steps):
        result = harness.traced(probes, path)
        harness.check(result.out.startswith('v=201, in steps\n') and
                      harness.target_status(result) == 0, '%s', result)
        calls, _ = harness.truth(result.out)
        if probes is BOTH:
            harness.same_counts(calls, harness.tagged(result.data, 'E'), 'entries')
            harness.same_counts(calls, harness.tagged(result.data, 'R'), 'returns')
            continue
        for name in ('work', 'stepped'):
            counted = re.findall(r'^ +%s +\S+ +(\d+)$' % name, result.data, re.M)
            harness.check(len(counted) > 4 and set(counted) == {str(calls[name])},
                          '%s: counted %s', name, counted)


def moved_syscall():
    """A system call that runs in a moved copy and is interrupted there leaves the
    registers as it would in its place."""
    result = harness.traced('pid$target:a.out:doze: {@[probename] = count();}',
                            harness.target('doze'))
    unchanged('doze', result)
    calls, _ = harness.truth(result.out)
    counted = harness.counts(result.data)
    # entry, return and eight instructions
    harness.check(len(counted) == 10 and set(counted.values()) == {calls['doze']}, 'counted %s',
                  counted)


def stripped_parts():
    """The way from a function to its .cold part and back is no return, also where no
    name tells whose part it is."""
    result = harness.traced(
        'pid$target:python3.*:sub_51*:entry { @e[probefunc] = count(); } '
        'pid$target:python3.*:sub_51*:return { @r[probefunc] = count(); } '
        'END { printa("E %s %@d\\n", @e); printa("R %s %@d\\n", @r); }',
        '/usr/bin/python3 -I -S -c 0', ['-q'])
    entered, returned = harness.tagged(result.data, 'E'), harness.tagged(result.data, 'R')
    harness.check(len(entered) > 20, 'counted %s', entered)
    more = {f: n - entered.get(f, 0) for f, n in returned.items() if n > entered.get(f, 0)}
    harness.check(not more, 'more returns than entries: %s', more)


CASES = {'sigtrap_closed': sigtrap_closed, 'once': once, 'execer': execer,
         'stripped_parts': stripped_parts,
         'loader': lambda: loader(3, 'pid$target:plugin.so:plugged:entry'),
         'loader_often': lambda: loader(400, 'pid$target:plugin.so::entry'),
         'several': several, 'moved_syscall': moved_syscall,
         'stepping': stepping,
         'dies_segv': lambda: dies('segv', 'SIGSEGV'),
         'dies_abort': lambda: dies('abort', 'SIGABRT'),
         'dies_exit': lambda: dies('_exit', 9)}
for target_name in STEADY + VARYING:
    CASES['entry_' + target_name] = lambda name=target_name: entry(name)
    CASES['both_' + target_name] = lambda name=target_name: both(name)

harness.main(CASES)
