#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Arguments and results of Go functions, which Go passes in registers of its own."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402

PROBE = 'pid$target:a.out:main.%s '
# By function: event, three numbers, what they are. A blank tells two rows of one apart.
RAW = {
    'ints': ('entry', 'arg0, (int32_t)arg1, arg2 & 0xff', '1 -2 3'),
    'text': ('entry', '(int)arg1, arg2, strlen(copyinstr(arg0, arg1))', '3 5 3'),
    'many': ('entry', 'arg0, arg8, arg9', '1 9 10'),
    'array': ('entry', 'arg0, 0, 0', '3 0 0'),  # on the stack: n takes the first register
    'parts': ('entry', 'arg0, (int)arg1, (int)arg2', '1 2 3'),
    'text ': ('return', 'arg1, arg3, 0', '8 3 0'),
    'many ': ('return', 'arg1, 0, 0', '66 0 0'),
}
TYPED = {
    'ints': ('entry', 'args[0], args[1], args[2]', '1 -2 3'),
    '?*thing?.method': ('entry', '*(long *)copyin(arg0, 8), args[2], 0', '4 2 0'),
    'text': ('entry', 'args[1], 0, 0', '5 0 0'),
    'many': ('entry', 'args[0], args[8], args[9]', '1 9 10'),
    'array': ('entry', 'args[1], 0, 0', '3 0 0'),
    'parts': ('entry', 'args[2], args[4], 0', '4 6 0'),
    'ints ': ('return', 'args[1], 0, 0', '9 0 0'),
    'text ': ('return', 'args[1], 0, 0', '8 0 0'),
}


def values(program, table):
    """Each function prints its line, in any order."""
    text = ''.join(
        (PROBE % (name.strip() + ':' + event)) +
        '{ printf("%s %s %%d %%d %%d\\n", %s); } ' % (name, event, expressions)
        for name, (event, expressions, _) in table.items())
    result = harness.traced(text, harness.target(program), options=['-q'])
    expected = {'%s %s %s' % (name, event, line) for name, (event, _, line) in table.items()}
    found = set(result.data.splitlines()) - {''}
    harness.check(result.status == 0 and found == expected, 'expected %s\n%s', expected, result)


def refused():
    """What is in pieces, or on the stack in no known place, is refused with the reason."""
    for function, n, why in (('parts', 1, 'it is passed in pieces, in registers'),
                             ('array', 0, 'it is passed by value, on the stack')):
        result = harness.run([harness.DTRACE, '-n', PROBE % (function + ':entry') +
                              '{ trace(args[%d]); }' % n, '-c',
                              harness.target('gocalls')])
        harness.check(result.status == 1 and why in result.err, '%s', result)


def joined():
    """The two words of a string are put together; of the three of a slice each can be read."""
    result = harness.traced(
        PROBE % 'text:entry' +
        '{ printf("%s %d\\n", stringof(args[0]), args[1]); print(args[0]); } ' +
        PROBE % 'words:entry' +
        '{ printf("%d %d %d", args[0].len, args[1].len, args[2]); }',
        harness.target('gocalls'), options=['-q', '-x', 'printstl', '-x', 'printnatural'])
    found = sorted(result.data.split('\n'))
    harness.check(result.status == 0 and [s for s in found if s] ==
                  ['2 2 6', 'abc 5', 'struct string "abc"'], '%s', result)
    result = harness.run([harness.DTRACE, '-n', PROBE % 'words:entry' + '{ print(args[0]); }',
                          '-c', harness.target('gocalls')])
    harness.check(result.status == 1 and 'it is in registers, in pieces' in result.err,
                  '%s', result)


def pieces():
    """A value of too many parts is taken to be on the stack, and that is found out soon."""
    result = harness.run([harness.DTRACE, '-n', 'pid$target:a.out:work:entry '
                          '{ trace(args[0]); }', '-c', harness.target('gopieces')])
    harness.check(result.status == 1 and 'it is passed by value, on the stack' in result.err,
                  '%s', result)


def assembly():
    """Where assembly code finds its arguments is not known: reading one is a fault."""
    name = harness.PROVIDER + '$target:a.out:runtime.memmove:entry '
    result = harness.run([harness.DTRACE, '-q', '-n', name + '{ @c["called"] = count(); '
                          'trace(arg0); } ERROR { @f["fault"] = max(arg4); }', '-c',
                          harness.target('gocalls')])
    counts = harness.counts(result.out)
    harness.check(counts.get('called', 0) > 0 and counts.get('fault') == 3, '%s', result)


def on_stack():
    """What Go calls by ABI0 has its arguments on the stack: rt_sigaction(sig, new, old, 8)."""
    result = harness.traced('pid$target:a.out:runtime.rt_sigaction.abi0:entry '
                            '{ @s["signal"] = max(arg0); @a["most"] = max(arg3); '
                            '@b["least"] = min(arg3); }',
                            harness.target('gocalls'))
    counts = harness.counts(result.data)
    harness.check(counts == {'signal': 64, 'most': 8, 'least': 8}, '%s', result)


def stacks(text):
    """The functions of each stack of an output, without their offsets."""
    return [[re.sub(r'^.*`|\+0x.*$', '', line.strip()) for line in block.splitlines()]
            for block in re.findall(r'(?:^ {14}\S.*\n)+', text, re.M)]


def callers():
    """At each instruction, also where no frame is built yet, the caller is named."""
    result = harness.traced('pid$target:a.out:main.ints:*,pid$target:a.out:main.main:* '
                            '{ @[ustack()] = count(); }', harness.target('gocalls'))
    wrong = [s for s in stacks(result.data)
             if s not in (['main.ints', 'main.main', 'runtime.main', 'runtime.goexit.abi0'],
                          ['main.main', 'runtime.main', 'runtime.goexit.abi0'])]
    harness.check(not wrong and len(stacks(result.data)) > 100, '%s: %s', wrong, result)


# Of other stacks: the functions that call the probed one, the first two of a signal's.
OUTER = {
    'gcinit': ['runtime.schedinit', 'runtime.rt0_go.abi0'],
    'sysmon': ['runtime.mstart1', 'runtime.mstart0', 'runtime.mstart.abi0'],
    'sighandler': ['runtime.sigtrampgo', 'runtime.sigtramp.abi0'],
}


def other_stacks():
    """Stacks end where Go begins them; those of signal handlers go on where they came."""
    probes = ','.join('pid$target:a.out:runtime.%s:entry' % name for name in OUTER)
    found, tries = {}, 0
    while len(found) < len(OUTER) and tries < 20:  # it may end before its threads run
        result = harness.traced('pid$target:a.out:main.ints:entry { raise(23); } ' + probes +
                                '{ ustack(); }', harness.target('gocalls'), ['-wq'])
        found.update({s[0].replace('runtime.', ''): s[1:] for s in stacks(result.data)})
        tries += 1
    interrupted = found.get('sighandler', [])
    harness.check({**found, 'sighandler': interrupted[:2]} == OUTER and len(interrupted) > 4,
                  '%s', found)


def new_threads():
    """Without unwind tables too: the frame pointer of a new thread leads to the stack of the
    one that made it, now and then."""
    found = []
    for _ in range(12):
        result = harness.traced('pid$target:a.out:runtime.sysmon:entry { ustack(); }',
                                harness.target('gocalls_stripped'), ['-wq'])
        found += stacks(result.data)
    harness.check(found and all(s == ['runtime.sysmon', 'runtime.mstart1', 'runtime.mstart0',
                                      'runtime.mstart'] for s in found), '%s', found)


harness.main({'callers': callers, 'other_stacks': other_stacks, 'new_threads': new_threads,
              'raw': lambda: values('gocalls', RAW),
              'raw_stripped': lambda: values('gocalls_stripped', RAW),
              'typed': lambda: values('gocalls', TYPED),
              'refused': refused, 'joined': joined, 'pieces': pieces,
              'assembly': assembly, 'on_stack': on_stack})
