#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Debug data in the forms that compilers and packagers give it: what D asks is the same."""
import glob
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


def compiled(folder, compiler, *options):
    path = os.path.join(folder, 'lined')
    subprocess.run([compiler, '-g', '-D_GNU_SOURCE', *options, '-fPIE', '-pie', '-o', path,
                    SOURCE], check=True, cwd=folder)
    return path


def build(folder, *options):
    return compiled(folder, 'gcc', '-O0', *options)


def sections(path):
    return harness.run(['readelf', '-SW', path]).out


def answers_as(path, what):
    result = harness.traced(PROGRAM, path, ['-q'])
    harness.check(result.data.split() == EXPECTED.split(), '%s: %s', what, result)


def lines_as(path, what, but):
    """The same without the lines of one clause."""
    program, expected = ('\n'.join(line for line in text.split('\n') if but not in line)
                         for text in (PROGRAM, EXPECTED))
    result = harness.traced(program, path, ['-q'])
    harness.check(result.data.split() == expected.split(), '%s: %s', what, result)


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


def split():
    """Entries in .dwo files: beside the program, or in the folder where it was compiled."""
    forms = (('gcc', '0', '4'), ('gcc', '1', '4'), ('gcc', '1', '5'),
             ('clang', '0', '5'), ('clang', '1', '4'), ('clang', '1', '5'))
    with tempfile.TemporaryDirectory(prefix='forms-') as folder:
        for compiler, level, version in forms:
            path = compiled(folder, compiler, '-O' + level, '-gsplit-dwarf', '-gdwarf-' + version)
            what = '%s, -O%s, DWARF %s' % (compiler, level, version)
            if compiler == 'clang' and level == '1':
                # it drops the variable of the second copy, with and without .dwo files
                lines_as(path, what, 'twice')
            else:
                answers_as(path, what)
        path = compiled(folder, 'gcc', '-O0', '-gsplit-dwarf')
        with tempfile.TemporaryDirectory(prefix='forms-') as other:
            moved = os.path.join(other, 'moved')
            shutil.copy(path, moved)
            answers_as(moved, 'a copy elsewhere')
            for dwo in glob.glob(os.path.join(folder, '*.dwo')):
                shutil.move(dwo, other)
            answers_as(moved, 'a copy with its .dwo files')


def refused(path, program, reason):
    result = harness.run([harness.DTRACE, '-n',
                          program.replace('pid$', harness.PROVIDER + '$'), '-c', path])
    harness.check(result.status == 1 and reason in result.err, '%s', result)


def unread():
    """Without the .dwo files, or with a FIFO instead, lines work and a message says why."""
    with tempfile.TemporaryDirectory(prefix='forms-') as folder:
        for version in '45':
            path = compiled(folder, 'gcc', '-O0', '-gsplit-dwarf', '-gdwarf-' + version)
            dwo, = glob.glob(os.path.join(folder, '*.dwo'))
            os.unlink(dwo)
            if version == '5':
                os.mkfifo(dwo)
            why = ("its entries in .dwo files (-gsplit-dwarf) are not known: " +
                   ("cannot open '%s'" % dwo if version == '4' else
                    "'%s' is not a regular file" % dwo))
            result = harness.traced('pid$target:a.out:sum:lined.c@39 { @ = count(); }', path,
                                    ['-q'])
            harness.check(result.status == 0 and result.data.split() == ['3'], '%s', result)
            refused(path, 'pid$target:a.out:sum:lined.c@39 { trace(locals.i); }', why)
            refused(path, 'pid$target:a.out:twice:inlined', why)
            refused(path, 'pid$target:a.out:place:entry { print(args[0]); }', why)


harness.main({'built': built, 'shared': shared, 'split': split, 'unread': unread})
