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

# gcc moves the branch to serve.cold: one function, in two places.
HOT_COLD = '''
static volatile long noted;
struct rec { int id; };
__attribute__((noinline)) void note(long v) { noted += v; }
__attribute__((noinline, cold)) void complain(long v) { note(v); }
static inline __attribute__((always_inline)) long weigh(long w) { note(w * 3); return w * 3; }
__attribute__((noinline)) long serve(struct rec *r, long n)
{
	long total = n;
	if (__builtin_expect(r->id > 5, 0)) {
		total += r->id;
		complain(total); /* line 12 */
		weigh(total);
		complain(total + 1);
	}
	note(total); /* line 16 */
	return weigh(total) + total;
}
int main(void)
{
	struct rec r = {3};
	serve(&r, 10);
	r.id = 7;
	serve(&r, 20);
}
'''
HOT_COLD_PROGRAM = '''
pid$target:a.out:serve:entry { printf("serve %d %d\\n", args[0]->id, args[1]); }
pid$target:a.out:serve:hotcold.c@12
{ printf("cold %d %d %d\\n", locals.total, locals.n, locals.r->id); }
pid$target:a.out:serve:hotcold.c@16 { printf("hot %d\\n", locals.total); }
pid$target:a.out:weigh:inlined { printf("weigh %d\\n", locals.w); }
pid$target:a.out:serve:return { printf("= %d\\n", args[1]); }
'''
HOT_COLD_EXPECTED = '''
serve 3 10 hot 10 weigh 10 = 40
serve 7 20 cold 27 20 7 weigh 27 hot 27 weigh 27 = 108
'''


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


def ranges():
    """Functions with DW_AT_ranges: all that is asked works in both pieces."""
    with tempfile.TemporaryDirectory(prefix='forms-') as folder:
        source = os.path.join(folder, 'hotcold.c')
        with open(source, 'w', encoding='utf-8') as f:
            f.write(HOT_COLD)
        for options in (['-gdwarf-4'], ['-gdwarf-5'], ['-gdwarf-4', '-gsplit-dwarf'],
                        ['-gdwarf-5', '-gsplit-dwarf']):
            path = os.path.join(folder, 'hotcold')
            subprocess.run(['gcc', '-O2', '-freorder-blocks-and-partition', *options, '-g', '-o',
                            path, source], check=True, cwd=folder)
            symbols = harness.run(['nm', path]).out
            harness.check(' serve.cold' in symbols, '%s', symbols)
            result = harness.traced(HOT_COLD_PROGRAM, path, ['-q'])
            harness.check(result.data.split() == HOT_COLD_EXPECTED.split(), '%s: %s', options,
                          result)


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


harness.main({'built': built, 'shared': shared, 'ranges': ranges, 'split': split,
              'unread': unread})
