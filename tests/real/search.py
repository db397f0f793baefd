#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The search for branches, in a program with the dispatch of an interpreter: thousands of
tables and labels in one function. Jumps are planned all the same, of one function and of all,
and counts are right; without a search they are as well, and the listing says so."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402

REASON = 'breakpoint: the search for what may jump into it was cut short'
NOT_KEPT = ['-x', 'plancache=off']
ONE = 'fpid$target:a.out:%s:entry {@["e %s"] = count();} ' \
      'fpid$target:a.out:%s:return {@["r %s"] = count();}'
ALL = 'fpid$target:a.out::entry {@[strjoin("e ", probefunc)] = count();} ' \
      'fpid$target:a.out::return {@[strjoin("r ", probefunc)] = count();}'


def tell(program, options=()):
    """Traces it: what each function was called, and returned."""
    path = harness.target('interpreter')
    result = harness.traced(program, path, [*NOT_KEPT, *options])
    calls, _ = harness.truth(result.out)
    harness.check(result.out == harness.run([path]).out, 'it printed %s', result.out)
    counted = harness.counts(result.data)
    return calls, counted


def check_one(name, options=()):
    calls, counted = tell(ONE % (name, name, name, name), options)
    harness.same_counts({'e ' + name: calls[name], 'r ' + name: calls[name]}, counted, name)


def one():
    """A function beside the dispatch, and the dispatch itself."""
    for name in ('before', 'behind', 'interpret'):
        check_one(name)


def check_all(options=()):
    calls, counted = tell(ALL, options)
    expected = {}
    for name, n in calls.items():
        expected.update({'e ' + name: n, 'r ' + name: n})
    harness.same_counts(expected, counted, 'all functions')


def every_instruction():
    """Each instruction of the functions beside it, which take jumps."""
    calls, counted = tell('fpid$target:a.out:before:,fpid$target:a.out:behind: '
                          '{@[strjoin(probefunc, strjoin(" ", probename))] = count();}')
    for name in ('before', 'behind'):
        for probe in ('entry', 'return', '0'):
            harness.check(counted.get(name + ' ' + probe) == calls[name], '%s', counted)


def sites(options):
    """What serves each site of the functions beside the dispatch, and of itself."""
    result = harness.run([harness.DTRACE, *NOT_KEPT, *options, '-lv',
                          '-n', 'fpid$target:a.out:before:entry,fpid$target:a.out:behind:entry,'
                          'fpid$target:a.out:interpret:entry',
                          '-c', harness.target('interpreter')])
    found = re.findall(r'^\t\t0x[0-9a-f]+ (.*)$', result.out, re.M)
    harness.check(len(found) == 3, '%s', result)
    return found


def searched():
    """The functions beside it take jumps: what may lead there is known."""
    harness.check(sites([])[:2] == ['jump', 'jump'], '%s', sites([]))


def not_searched():
    """Without a search nothing takes a jump that must know what leads there, and all is
    counted."""
    found = sites(['-x', 'searchtime=0'])
    harness.check(REASON in found, '%s', found)
    harness.check('jump' not in found, '%s', found)
    check_one('before', ['-x', 'searchtime=0'])
    check_all(['-x', 'searchtime=0'])


def not_kept():
    """Plans that were made without a search are not those of later runs."""
    harness.check(REASON in sites(['-x', 'plancache=on', '-x', 'searchtime=0']), 'searched')
    found = sites(['-x', 'plancache=on'])
    harness.check(found[:2] == ['jump', 'jump'], '%s', found)


harness.main({'one': one, 'all': check_all, 'every_instruction': every_instruction,
              'searched': searched, 'not_searched': not_searched, 'not_kept': not_kept})
