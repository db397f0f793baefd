#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""dtrace itself under valgrind's memcheck: no error, no leak. The traced programs and
the keeper run outside of it."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
import memcheck  # noqa: E402

COUNT = '%s { @[probefunc] = count(); self->x = 1; a[probefunc, 1] = "text"; }'

def checked(arguments, status=0):
    with tempfile.NamedTemporaryFile('r', suffix='.valgrind') as report:
        result = harness.run(memcheck.prefix(report.name) + [harness.DTRACE, *arguments],
                             timeout=110)
        findings = memcheck.findings(report.name)
    harness.check(not findings, 'valgrind says:\n%s', findings)
    harness.check(result.status == status, 'status %d:\n%s', result.status, result)
    return result


def begin_end():
    result = checked(['-qn', 'BEGIN { x = 1; @["k"] = sum(3); @q = quantize(7); '
                              'a["i", 2] = x + 1; printf("%d %s\\n", a["i", 2], probename); '
                              'exit(0); } END { printf("end %d\\n", x); }'])
    harness.check(result.out.startswith('2 BEGIN\nend 1\n'), '%s', result)


def command():
    result = checked(['-qn', COUNT % 'pid$target:a.out::entry,pid$target:a.out::return',
                       '-c', harness.target('recurse')])
    harness.check(re.search(r'^  fib +3946$', result.out, re.M), '%s', result)


def listing():
    result = checked(['-ln', 'pid$target:a.out::entry', '-c', harness.target('recurse')])
    harness.check(re.search(r' fib entry$', result.out, re.M), '%s', result)


def errors():
    for text, fault in (('BEGIN { x = ; }', 'syntax error'),
                        ('BEGIN { nosuch(1); }', 'undefined function'),
                        ('BEGIN { @a = count(); @a = sum(1); }', '@a'),
                        ('pid$target:a.out:nosuch:entry { }', 'nosuch')):
        result = checked(['-n', text, '-c', harness.target('once')], status=1)
        harness.check(fault in result.err, '%s', result)


harness.main({'begin_end': begin_end, 'command': command, 'listing': listing,
              'errors': errors})
