#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Debug data in the forms that compilers and packagers give it: what D asks is the same."""
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..'))
import dwarf_package  # noqa: E402
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


def at_once(test, forms):
    """Several forms at a time: they wait more than they work."""
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        list(pool.map(test, forms))


def built_form(form):
    what, (options, mark) = form
    with tempfile.TemporaryDirectory(prefix='forms-') as folder:
        path = build(folder, *options)
        harness.check(mark in sections(path), '%s: %s', what, sections(path))
        answers_as(path, what)


def built():
    """DWARF 4 and 5; sections that are compressed, in both ways."""
    forms = {
        'DWARF 4': (['-gdwarf-4'], '.debug_info'),
        'DWARF 5': (['-gdwarf-5'], '.debug_line_str'),
        'type units': (['-fdebug-types-section'], '.debug_info'),
        'SHF_COMPRESSED': (['-gz=zlib'], ' C '),
        '.zdebug': (['-gdwarf-4', '-gz=zlib-gnu'], '.zdebug_info'),
    }
    at_once(built_form, forms.items())


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


def split_form(form):
    compiler, level, version = form
    with tempfile.TemporaryDirectory(prefix='forms-') as folder:
        path = compiled(folder, compiler, '-O' + level, '-gsplit-dwarf', '-gdwarf-' + version)
        what = '%s, -O%s, DWARF %s' % form
        if compiler == 'clang' and level == '1':
            # it drops the variable of the second copy, with and without .dwo files
            lines_as(path, what, 'twice')
        else:
            answers_as(path, what)


def split():
    """Entries in .dwo files: beside the program, or in the folder where it was compiled."""
    forms = (('gcc', '0', '4'), ('gcc', '1', '4'), ('gcc', '1', '5'),
             ('clang', '0', '5'), ('clang', '1', '4'), ('clang', '1', '5'))
    at_once(split_form, forms)
    with tempfile.TemporaryDirectory(prefix='forms-') as folder:
        path = compiled(folder, 'gcc', '-O0', '-gsplit-dwarf')
        with tempfile.TemporaryDirectory(prefix='forms-') as other:
            moved = os.path.join(other, 'moved')
            shutil.copy(path, moved)
            answers_as(moved, 'a copy elsewhere')
            for dwo in glob.glob(os.path.join(folder, '*.dwo')):
                shutil.move(dwo, other)
            answers_as(moved, 'a copy with its .dwo files')


# A unit beside lined.c, which has a type in common with this one.
OTHER = '''
struct place { const char *name; int x; };
struct own { long a; struct place *p; };
__attribute__((noinline)) long own_sum(struct own *o) { return o->a + (o->p ? o->p->x : 0); }
__attribute__((constructor)) void begin(void) { struct own o = {4, 0}; own_sum(&o); }
'''
PACKED_PROGRAM = PROGRAM + '''
pid$target:a.out:own_sum:entry { printf("own %d %d\\n", args[0]->a, sizeof(*args[0]->p)); }
'''
PACKED_EXPECTED = 'own 4 16\n' + EXPECTED


def packed_program(folder, *options):
    """The program and its .dwo files, those of the other unit first."""
    other = os.path.join(folder, 'other.c')
    with open(other, 'w', encoding='utf-8') as f:
        f.write(OTHER)
    path = compiled(folder, 'gcc', '-O0', '-gsplit-dwarf', *options, other)
    return path, sorted(glob.glob(os.path.join(folder, '*.dwo')), reverse=True)


def packed():
    """Entries in PROGRAM.dwp alone: GNU's for DWARF 4, with type units, and DWARF 5's."""
    with tempfile.TemporaryDirectory(prefix='forms-') as folder:
        for version in '45':
            path, dwos = packed_program(folder, '-gdwarf-' + version,
                                        *(['-fdebug-types-section'] if version == '4' else []))
            if version == '4':
                result = harness.run([harness.installed('dwp'), '-e', path, '-o', path + '.dwp'],
                                     cwd=folder)
                harness.check(result.status == 0 and '.debug_types.dwo' in
                              sections(path + '.dwp'), '%s', result)
            else:
                dwarf_package.write(path + '.dwp', dwos)
            for dwo in dwos:
                os.unlink(dwo)
            result = harness.traced(PACKED_PROGRAM, path, ['-q'])
            harness.check(result.data.split() == PACKED_EXPECTED.split(), 'DWARF %s: %s', version,
                          result)


def separate():
    """The package beside the separate debug file, named after that, or as the program is."""
    with tempfile.TemporaryDirectory(prefix='forms-') as folder:
        path, dwos = packed_program(folder, '-gdwarf-5')
        debug = os.path.join(folder, '.debug', 'lined.debug')
        os.mkdir(os.path.dirname(debug))
        for command in (['objcopy', '--only-keep-debug', path, debug],
                        ['objcopy', '--strip-debug', '--add-gnu-debuglink=' + debug, path]):
            subprocess.run(command, check=True)
        for dwo in dwos:
            os.rename(dwo, dwo + '.away')
        refused(path, 'pid$target:a.out:place:entry { print(args[0]); }',
                "are not known: cannot open '%s': move it beside the program, or run "
                "'dwp -e PROGRAM -o PROGRAM.dwp' where it is" % dwos[0])
        for package in (debug + '.dwp', debug[:-len('.debug')] + '.dwp'):
            dwarf_package.write(package, [dwo + '.away' for dwo in dwos])
            result = harness.traced(PACKED_PROGRAM, path, ['-q'])
            harness.check(result.data.split() == PACKED_EXPECTED.split(), '%s: %s', package,
                          result)
            os.unlink(package)


def word(at, value):
    """Changes 4 bytes of an index."""
    return lambda data: data[:at] + value.to_bytes(4, 'little') + data[at + 4:]


def unpacked():
    """A package that is damaged or of another build, or a FIFO, is refused by its name."""
    program = 'pid$target:a.out:place:entry { print(args[0]); }'
    known = 'its entries in .dwo files (-gsplit-dwarf) are not known: '
    with tempfile.TemporaryDirectory(prefix='forms-') as folder:
        path, dwos = packed_program(folder, '-gdwarf-5')
        package = path + '.dwp'
        dwarf_package.write(package, dwos, word(12, 1 << 31))
        answers_as(path, 'a damaged package beside the .dwo files')
        damaged = os.path.join(folder, 'damaged')
        os.rename(package, damaged)
        dwarf_package.write(package, dwos, lambda data: data[:16] + bytes(32) + data[48:])
        for dwo in dwos:
            os.unlink(dwo)
        refused(path, program, known + "'%s' is not there, and '%s' is of another build" % (
            dwos[0], package))
        os.rename(damaged, package)
        refused(path, program, known + "'%s' is damaged: its index is too short" % package)
        os.unlink(package)
        os.mkfifo(package)
        refused(path, program, known + "'%s' is not a regular file" % package)


def ranges_form(form):
    compiler, mark, options = form
    with tempfile.TemporaryDirectory(prefix='forms-') as folder:
        source, path = (os.path.join(folder, name) for name in ('hotcold.c', 'hotcold'))
        with open(source, 'w', encoding='utf-8') as f:
            f.write(HOT_COLD)
        subprocess.run([compiler, '-O2', *options, '-g', '-o', path, source], check=True,
                       cwd=folder)
        symbols = harness.run(['nm', path]).out
        harness.check(mark in symbols, '%s', symbols)
        result = harness.traced(HOT_COLD_PROGRAM, path, ['-q'])
        harness.check(result.data.split() == HOT_COLD_EXPECTED.split(), '%s: %s', options,
                      result)


def ranges():
    """Functions with DW_AT_ranges: all that is asked works in both pieces."""
    at_once(ranges_form, [('gcc', ' serve.cold', ['-freorder-blocks-and-partition', *options])
                          for options in (['-gdwarf-4'], ['-gdwarf-5'],
                                          ['-gdwarf-4', '-gsplit-dwarf'],
                                          ['-gdwarf-5', '-gsplit-dwarf'])])


def blocks():
    """The same where each block of a function is in a section of its own."""
    at_once(ranges_form, [(harness.installed('clang'), ' serve.__part.2',
                           ['-fbasic-block-sections=all', '-gdwarf-' + version])
                          for version in '45'])


def refused(path, program, reason):
    result = harness.run([harness.DTRACE, '-n',
                          program.replace('pid$', harness.PROVIDER + '$'), '-c', path])
    harness.check(result.status == 1 and reason in result.err, '%s', result)


# Variables that no single register or word has.
OPERATIONS = '''
struct pair { long a, b; };
static volatile long noted;
__attribute__((noinline)) void note(long v) { noted += v; }
__attribute__((noinline)) long pieces(struct pair p)
{
	note(p.a);
	note(p.b); /* line 8 */
	return p.a + p.b;
}
__attribute__((noinline)) long computed(long n)
{
	long twice = n * 2 + 1;
	note(n); /* line 14 */
	return n;
}
__attribute__((noinline)) long entered(long n)
{
	note(n);
	note(2); /* line 20 */
	return 0;
}
static inline __attribute__((always_inline)) long deref(const struct pair *p)
{
	note(p->a);
	note(p->b); /* line 26 */
	return p->b;
}
__attribute__((noinline)) long pointed(long n)
{
	struct pair local = {n, n + 1};
	return deref(&local) + n;
}
int main(void)
{
	pieces((struct pair){3, 4});
	computed(5);
	entered(6);
	pointed(7);
	return 0;
}
'''
OPERATIONS_PROGRAM = '''
pid$target:a.out:pieces:entry,pid$target:a.out:pieces:operations.c@8
{ printf("pieces %d %d\\n", locals.p.a, locals.p.b); }
pid$target:a.out:computed:operations.c@14 { printf("computed %d\\n", locals.twice); }
pid$target:a.out:entered:operations.c@20 { printf("entered %d\\n", locals.n); }
pid$target:a.out:pointed:operations.c@26
{ printf("pointed %d %d %d\\n", locals.local.a, locals.local.b, locals.n); }
'''
OPERATIONS_EXPECTED = 'pieces 3 4 pieces 3 4 computed 11 entered 6 pointed 7 8 7'


def operations_form(form):
    compiler, version, used, why = form
    with tempfile.TemporaryDirectory(prefix='forms-') as folder:
        source, path = (os.path.join(folder, name) for name in ('operations.c', 'operations'))
        with open(source, 'w', encoding='utf-8') as f:
            f.write(OPERATIONS)
        subprocess.run([compiler, '-O2', '-g', '-gdwarf-' + version, '-o', path, source],
                       check=True, cwd=folder)
        listed = harness.run(['readelf', '--debug-dump=loc,info', path]).out
        missing = [name for name in used if not re.search(r'DW_OP_(GNU_)?' + name, listed)]
        harness.check(not missing, '%s: not in the program: %s', form, missing)
        result = harness.traced(OPERATIONS_PROGRAM, path, ['-q'])
        harness.check(result.data.split() == OPERATIONS_EXPECTED.split(), '%s: %s', form, result)
        refused(path, 'pid$target:a.out:pointed:operations.c@26 { trace(locals.p->b); }',
                'failed to resolve locals.p: ' + why)


def operations():
    """Values in several registers, computed, known from the caller: or it says why not."""
    at_once(operations_form,
            [('gcc', version, ('entry_value', 'piece', 'stack_value', 'implicit_pointer'),
              'what it points to was optimized away') for version in '45'])


def operations_clang():
    at_once(operations_form,
            [(harness.installed('clang'), version, ('entry_value', 'piece', 'stack_value'),
              'it was optimized away') for version in '45'])


# A frame of a leaf, one that takes calls, and one that is aligned.
FRAMES = '''
static volatile long noted;
__attribute__((noinline)) void note(long v) { noted += v; }
__attribute__((noinline)) long leaf(long a, long b)
{
	long sum = a + b;
	return sum * 2; /* line 7 */
}
__attribute__((noinline)) long calls(long a, int n)
{
	long total = a;
	char room[200];
	for (int i = 0; i < n; i++) {
		room[i] = (char)i;
		total += room[i] + leaf(total, i);
	}
	note(total); /* line 17 */
	return total;
}
__attribute__((noinline)) long aligned(long a)
{
	_Alignas(64) char room[64] = {1};
	char more[a];
	long own = a * 3;
	more[0] = room[0];
	note(own + more[0] + (long)room); /* line 26 */
	return own;
}
int main(void)
{
	calls(5, 2);
	aligned(9);
	return 0;
}
'''
FRAMES_PROGRAM = '''
pid$target:a.out:leaf:entry,pid$target:a.out:leaf:return
{ printf("%s leaf %d %d\\n", probename, locals.a, locals.b); }
pid$target:a.out:leaf:frames.c@7,pid$target:a.out:leaf:return
{ @sum[probename] = sum(locals.sum); }
pid$target:a.out:calls:entry { printf("entry calls %d %d\\n", locals.a, locals.n); }
pid$target:a.out:calls:frames.c@17,pid$target:a.out:calls:return
{ printf("calls %d %d %d\\n", locals.a, locals.n, locals.total); }
pid$target:a.out:aligned:frames.c@26 { @aligned = max(locals.a * 100 + locals.own); }
pid$target:a.out:calls: { @at[(uintptr_t)&locals.total] = count(); }
END { printa("aligned %@d\\n", @aligned); printa("sum %s %@d\\n", @sum);
printa("at %@u\\n", @at); trunc(@aligned); trunc(@sum); trunc(@at); }
'''
FRAMES_EXPECTED = '''entry calls 5 2
entry leaf 5 0
return leaf 5 0
entry leaf 15 1
return leaf 15 1
calls 5 2 48
calls 5 2 48
aligned 927
sum frames.c@7 21
sum return 21
'''


def frames_form(form):
    compiler, options = form
    with tempfile.TemporaryDirectory(prefix='forms-') as folder:
        source, path = (os.path.join(folder, name) for name in ('frames.c', 'frames'))
        with open(source, 'w', encoding='utf-8') as f:
            f.write(FRAMES)
        subprocess.run([compiler, '-O0', '-g', *options, '-o', path, source], check=True,
                       cwd=folder)
        result = harness.traced(FRAMES_PROGRAM, path, ['-q'])
        lines = [line for line in result.data.split('\n') if not line.startswith('at ')]
        harness.check('\n'.join(lines).split() == FRAMES_EXPECTED.split(), '%s: %s', form, result)
        # The same place at each instruction, from the first to the last.
        harness.check(result.data.count('\nat ') == 1, '%s: %s', form, result)
        refused(path, 'pid$target:a.out:aligned:return { trace(locals.own); }',
                'the register that leads to it has another value here')


def frames():
    """Variables at entries, lines, returns and all instructions, without optimization."""
    at_once(frames_form, [('gcc', options)
                          for options in ([], ['-fomit-frame-pointer', '-gdwarf-4'])])


def frames_clang():
    """The same by the frame pointer, or by the stack pointer where it is in the body."""
    clang = harness.installed('clang')
    at_once(frames_form, [(clang, options)
                          for options in ([], ['-fomit-frame-pointer', '-gdwarf-4'],
                                          ['-fno-asynchronous-unwind-tables',
                                           '-fno-unwind-tables'])])


# Variables in the frame of a function that is in two places, with a return in each.
PLACES = '''
static volatile long noted;
__attribute__((noinline)) void note(long v) { noted += v; }
__attribute__((noinline, cold)) void complain(long v) { note(v); }
__attribute__((noinline)) void fill(long *p, long v) { p[0] = v; p[1] = v + 1; }
__attribute__((noinline)) long serve(long n)
{
	long room[2];
	fill(room, n);
	if (__builtin_expect(n > 15, 0)) {
		complain(room[1]); /* line 11 */
		fill(room, n * 2);
		if (n > 18) {
			complain(4);
			return room[0] + 1;
		}
		complain(5);
	}
	note(room[0]); /* line 19 */
	return room[1];
}
int main(int argc, char **argv)
{
	for (int i = 0; argv[1] && i < 100000; i++)
		serve(10);
	if (argc > 1)
		return 0;
	serve(10);
	serve(16);
	serve(20);
}
'''
PLACES_PROGRAM = '''
pid$target:a.out:serve:places.c@11 { printf("cold %d %d\\n", locals.room[0], locals.room[1]); }
pid$target:a.out:serve:places.c@19 { printf("hot %d %d\\n", locals.room[0], locals.room[1]); }
pid$target:a.out:serve:return { printf("= %d %d\\n", locals.room[0], locals.room[1]); }
pid$target:a.out:serve: { @at[(uintptr_t)&locals.room] = count(); }
END { printa("at %@d\\n", @at); trunc(@at); }
'''
PLACES_EXPECTED = '''hot 10 11 = 10 11
cold 16 17 hot 32 33 = 32 33
cold 20 21 = 40 41 at'''


def profiled(folder, source):
    """Options by which clang puts what a run of the program did not reach elsewhere."""
    clang, merge = harness.installed('clang'), harness.installed('llvm-profdata')
    runtime = harness.run([clang, '--print-runtime-dir']).out.strip()
    if not glob.glob(os.path.join(runtime, 'libclang_rt.profile*')):
        raise harness.Skipped('no runtime for profiles: apt-get install libclang-rt-14-dev')
    program, raw, profile = (os.path.join(folder, name)
                             for name in ('profiled', 'profile.raw', 'profile'))
    subprocess.run([clang, '-O2', '-fprofile-instr-generate', '-o', program, source],
                   check=True, cwd=folder)
    subprocess.run([program, 'often'], check=True, env={'LLVM_PROFILE_FILE': raw})
    subprocess.run([merge, 'merge', '-o', profile, raw], check=True)
    return ['-fprofile-instr-use=' + profile, '-fsplit-machine-functions']


def places_form(form):
    compiler, options = form
    with tempfile.TemporaryDirectory(prefix='forms-') as folder:
        source, path = (os.path.join(folder, name) for name in ('places.c', 'places'))
        with open(source, 'w', encoding='utf-8') as f:
            f.write(PLACES)
        parts = (profiled(folder, source) if compiler == 'clang' else
                 ['-freorder-blocks-and-partition'])
        subprocess.run([compiler, '-O2', '-g', *parts, *options, '-o', path, source],
                       check=True, cwd=folder)
        symbols = harness.run(['nm', path]).out
        harness.check(' serve.cold' in symbols, '%s: %s', form, symbols)
        result = harness.traced(PLACES_PROGRAM, path, ['-q'])
        words = result.data.split()
        harness.check(words[:-1] == PLACES_EXPECTED.split(), '%s: %s', form, result)


def places():
    """The same variable at all instructions of a function with a cold part."""
    at_once(places_form, [('gcc', options) for options in ([], ['-fno-omit-frame-pointer'])])


def places_clang():
    """The same where a profile has made the part, by the stack and the frame pointer."""
    at_once(places_form, [('clang', options) for options in ([], ['-fno-omit-frame-pointer'])])


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


harness.main({'built': built, 'packed': packed, 'separate': separate,
              'unpacked': unpacked, 'shared': shared,
              'ranges': ranges, 'blocks': blocks, 'operations': operations,
              'operations_clang': operations_clang, 'frames': frames,
              'frames_clang': frames_clang, 'places': places, 'places_clang': places_clang, 'split': split, 'unread': unread})
