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

HERE = os.path.dirname(os.path.abspath(__file__))
COUNT = '%s { @[probefunc] = count(); self->x = 1; a[probefunc, 1] = "text"; }'

# That valgrind does not know openat2(2), which only users other than root get to, is no
# finding: it fails as in old kernels.
OPENAT2 = re.compile(r'--\d+-- WARNING: unhandled amd64-linux syscall: 437\n(?:--\d+-- .*\n){4}')


def memcheck(arguments, status=0):
    with tempfile.NamedTemporaryFile('r', suffix='.valgrind') as report:
        result = harness.run(
            ['valgrind', '--quiet', '--leak-check=full', '--show-leak-kinds=definite,indirect',
             '--errors-for-leak-kinds=definite,indirect', '--error-exitcode=99',
             '--trace-children=no', '--child-silent-after-fork=yes',
             '--suppressions=' + os.path.join(HERE, '..', 'valgrind.supp'),
             '--log-file=' + report.name, harness.DTRACE, *arguments], timeout=110)
        findings = OPENAT2.sub('', report.read())
    harness.check(not findings, 'valgrind says:\n%s', findings)
    harness.check(result.status == status, 'status %d:\n%s', result.status, result)
    return result


def begin_end():
    result = memcheck(['-qn', 'BEGIN { x = 1; @["k"] = sum(3); @q = quantize(7); '
                              'a["i", 2] = x + 1; printf("%d %s\\n", a["i", 2], probename); '
                              'exit(0); } END { printf("end %d\\n", x); }'])
    harness.check(result.out.startswith('2 BEGIN\nend 1\n'), '%s', result)


def command():
    result = memcheck(['-qn', COUNT % 'pid$target:a.out::entry,pid$target:a.out::return',
                       '-c', harness.target('recurse')])
    harness.check(re.search(r'^  fib +3946$', result.out, re.M), '%s', result)


def listing():
    result = memcheck(['-ln', 'pid$target:a.out::entry', '-c', harness.target('recurse')])
    harness.check(re.search(r' fib entry$', result.out, re.M), '%s', result)


def errors():
    for text, fault in (('BEGIN { x = ; }', 'syntax error'),
                        ('BEGIN { nosuch(1); }', 'undefined function'),
                        ('BEGIN { @a = count(); @a = sum(1); }', '@a'),
                        ('pid$target:a.out:nosuch:entry { }', 'nosuch')):
        result = memcheck(['-n', text, '-c', harness.target('once')], status=1)
        harness.check(fault in result.err, '%s', result)


harness.main({'begin_end': begin_end, 'command': command, 'listing': listing,
              'errors': errors})
