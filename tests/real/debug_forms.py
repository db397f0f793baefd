#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Debug data in the forms that compilers and packagers give it: what D asks is the same."""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..'))
import harness  # noqa: E402

SOURCE = os.path.join(HERE, '..', 'targets', 'code', 'lined.c')
# Lines, inlined copies, local variables in memory and in pieces, types of arguments.
PROGRAM = '''
pid$target:a.out:sum:lined.c@39
{ printf("%d of %d: %d %d\\n", locals.i, locals.n, locals.total, locals.low); }
pid$target:a.out:twice:inlined { printf("twice %d\\n", locals.half); }
pid$target:a.out:split:lined.c@87 { printf("both %d %d\\n", locals.both.part, locals.both.other); }
pid$target:a.out:place:entry
{ printf("place %s %d\\n", copyinstr((uintptr_t)args[0]->name), args[0]->x); }
'''
EXPECTED = '''0 of 3: 0 0
1 of 3: 100 100
2 of 3: 300 200
twice 5
twice 6
place here 3
both 27 10
'''


def build(folder, *options):
    path = os.path.join(folder, 'lined')
    subprocess.run(['gcc', '-O0', '-g', '-D_GNU_SOURCE', *options, '-fPIE', '-pie', '-o', path,
                    SOURCE], check=True, cwd=folder)
    return path


def sections(path):
    return harness.run(['readelf', '-SW', path]).out


def answers_as(path, what):
    result = harness.traced(PROGRAM, path, ['-q'])
    harness.check(result.data.split() == EXPECTED.split(), '%s: %s', what, result)


def built():
    """DWARF 4 and 5; sections that are compressed, in both ways."""
    forms = {
        'DWARF 4': (['-gdwarf-4'], '.debug_info'),
        'DWARF 5': (['-gdwarf-5'], '.debug_line_str'),
        'type units': (['-fdebug-types-section'], '.debug_info'),
        'SHF_COMPRESSED': (['-gz=zlib'], ' C '),
        '.zdebug': (['-gdwarf-4', '-gz=zlib-gnu'], '.zdebug_info'),
    }
    with tempfile.TemporaryDirectory(prefix='forms-') as folder:
        for what, (options, mark) in forms.items():
            path = build(folder, *options)
            harness.check(mark in sections(path), '%s: %s', what, sections(path))
            answers_as(path, what)


def shared():
    """Entries that two programs share in a file of dwz."""
    dwz = harness.installed('dwz')
    with tempfile.TemporaryDirectory(prefix='forms-') as folder:
        path = build(folder)
        other = os.path.join(folder, 'other')
        shutil.copy(path, other)
        # It shares what several files have, however little that is.
        result = harness.run([dwz, '-m', os.path.join(folder, 'common.debug'), '-M',
                              os.path.join(folder, 'common.debug'), path, other])
        harness.check(result.status == 0 and '.gnu_debugaltlink' in sections(path), '%s', result)
        answers_as(path, 'dwz')
        answers_as(other, 'dwz')


def refused(folder, program, reason):
    result = harness.run([harness.DTRACE, '-n',
                          program.replace('pid$', harness.PROVIDER + '$'), '-c',
                          os.path.join(folder, 'lined')])
    harness.check(result.status == 1 and reason in result.err, '%s', result)


def split():
    """The lines of split DWARF are in the program; the message says where the rest is."""
    with tempfile.TemporaryDirectory(prefix='forms-') as folder:
        for version in ('4', '5'):
            path = build(folder, '-gsplit-dwarf', '-gdwarf-' + version)
            result = harness.traced('pid$target:a.out:sum:lined.c@39 { @ = count(); }', path,
                                    ['-q'])
            harness.check(result.status == 0 and result.data.split() == ['3'], '%s', result)
            refused(folder, 'pid$target:a.out:sum:lined.c@39 { trace(locals.i); }',
                    'the variables there are in .dwo files (-gsplit-dwarf), which are not read')
            refused(folder, 'pid$target:a.out:twice:inlined',
                    "no inlined copy of 'twice': that in .dwo files (-gsplit-dwarf) is not read")
            refused(folder, 'pid$target:a.out:place:entry { print(args[0]); }',
                    'its types are in .dwo files (-gsplit-dwarf), which are not read')


harness.main({'built': built, 'shared': shared, 'split': split})
