#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs whose probes a D script declares: the header of -h is all that they need, for
either compiler, in C and C++; readelf and gdb read the notes; -G pleases old makefiles."""
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
import left_out  # noqa: E402

DECLARATION = '''
typedef struct item { int id; } item_t;
provider test {
	probe integers(int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t);
	probe words(long, unsigned long);
	probe reals(float a, double b);
	probe text(string, item_t *, char *);
	probe many(int, long, int8_t, uint8_t, double, string, uint16_t, int16_t, long, double, int8_t);
	probe no__args();
	probe constant(int, uint8_t, long, string);
};
'''
SOURCE = '''
#include "probes.h"
#include "probes.h"

struct item { int id; };
#ifdef __cplusplus
template <typename T> inline void generic(T value) { TEST_WORDS(value, sizeof(value)); }
#endif

static __attribute__((noinline)) int hit(int n, const char *text)
{
	struct item item;
	volatile double half = n / 2.0;

	item.id = n + 7;
	TEST_INTEGERS(-n, 250 + n, -300 * n, 65000 + n, -70000 * n, 4000000000u + n);
	TEST_WORDS(-5000000000L * n, 0xfedcba9876543210ul + n);
	TEST_REALS((float)half, half + 0.25);
	TEST_TEXT(text, &item, (char *)0);
	TEST_MANY(1 * n, -2 * n, -3 * n, 4 * n, half * 5, text, 7 * n, -8 * n, 9 * n, half * 10,
		  -11 * n);
	if (n)
		TEST_NO_ARGS();
	else
		TEST_CONSTANT(1, 2, 3, text);
	TEST_CONSTANT(-1, 255, 1L << 40, "fixed");
#ifdef __cplusplus
	generic(n);
	generic((short)n);
#endif
	return n;
}

int other(void);

int main(int argc, char **argv)
{
	(void)argv;
	if (hit(argc, "name") != 1 || other())
		return 1;
	return TEST_INTEGERS_ENABLED() ? 2 : 0;
}
'''
OTHER = '''
#include "probes.h"

int other(void)
{
	TEST_NO_ARGS();
	return TEST_NO_ARGS_ENABLED();
}
'''
# The compilers, the language, and how programs are built; each word occurs.
BUILDS = (('gcc', 'c', '-O0', '-fPIE -pie'), ('gcc', 'c', '-O2 -flto', '-no-pie'),
          ('gcc', 'c++', '-O1', '-static'), ('gcc', 'c++', '-O3 -g', '-fPIE -pie'),
          ('gcc', 'c', '-Os -ffunction-sections -Wl,--gc-sections', '-static-pie -fPIE'),
          ('clang', 'c', '-O2', '-no-pie'), ('clang', 'c++', '-O0', '-static'),
          ('clang', 'c', '-O1', '-fPIE -pie'), ('clang', 'c++', '-O3', '-fPIE -pie'))
PROBES = ('constant', 'integers', 'many', 'no__args', 'reals', 'text', 'words')


def write(folder, name, text):
    with open(os.path.join(folder, name), 'w', encoding='utf-8') as f:
        f.write(text)


def dtrace(folder, *words):
    result = harness.run([harness.DTRACE, *words], cwd=folder)
    harness.check(result.status == 0 and not result.out, 'dtrace %s: %s', words, result)
    return result.err


def silent(folder, command):
    """Runs a command line that may print nothing."""
    result = harness.run(command, cwd=folder)
    harness.check(result.status == 0 and not result.out + result.err, '%s: %s', command, result)


def prepare(folder):
    """The declaration, the header of it and the sources."""
    write(folder, 'provider.d', DECLARATION)
    write(folder, 'main.c', SOURCE)
    write(folder, 'other.c', OTHER)
    dtrace(folder, '-h', '-s', 'provider.d', '-o', 'probes.h')


def compile_with(folder, compiler, language, options, more=()):
    standard = {'c': '-std=c99', 'c++': '-std=c++11'}[language]
    silent(folder, [compiler, standard, '-Wall', '-Wextra', '-pedantic', '-Werror', *options.split(),
                    '-x', language, 'main.c', 'other.c', '-x', 'none', *more, '-o', 'program'])


def notes(folder):
    """The probes of the program as readelf reads them: (name, semaphore, arguments)."""
    out = harness.run(['readelf', '-nW', 'program'], cwd=folder).out
    harness.check('orrupt' not in out, '%s', out)
    return re.findall(r'Provider: test\n *Name: (\w+)\n *Location: 0x0*[1-9a-f]\w*, Base: 0x\w+, '
                      r'Semaphore: (0x\w+)\n *Arguments: ([^\n]*)', out)


def check_notes(folder, build):
    found = notes(folder)
    names = [name for name, _, _ in found]
    generic = 2 if build[1] == 'c++' else 0  # instances of the template, one semaphore
    harness.check(sorted(set(names)) == sorted(PROBES), '%s: %s', build, found)
    harness.check(names.count('words') == 1 + generic and names.count('no__args') == 2,
                  '%s: %s', build, found)
    semaphores = dict((name, address) for name, address, _ in found)
    harness.check(len(set(semaphores.values())) == len(PROBES) and
                  all(semaphores[name] == address for name, address, _ in found),
                  'semaphores of %s: %s', build, found)
    for name, _, arguments in found:
        operands = arguments.split()
        wanted = {'many': 11, 'integers': 6, 'constant': 4, 'text': 3, 'no__args': 0}.get(name, 2)
        harness.check(len(operands) == wanted and
                      all(re.fullmatch(r'-?[1248]@(\$-?\d+|%\w+|\d+\(%\w+\))', each)
                          for each in operands), '%s: %s %s', build, name, arguments)


def built():
    """Each build has the notes, and runs as if they were not there."""
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        for build in BUILDS:
            if not left_out.which(build[0]):
                continue
            compiler = build[0] + '++' if build[:2] == ('clang', 'c++') else build[0]
            compile_with(folder, compiler, build[1], build[2] + ' ' + build[3])
            check_notes(folder, build)
            silent(folder, ['./program'])
        compile_with(folder, 'gcc', 'c', '-O2 -DDTRACE_NO_PROBES')
        harness.check(not notes(folder), 'notes without probes')


def in_library():
    """A library and a program have semaphores of their own."""
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        silent(folder, ['gcc', '-O2', '-fPIC', '-shared', 'other.c', '-o', 'libother.so'])
        silent(folder, ['gcc', '-O2', 'main.c', '-o', 'program', '-L.', '-lother', '-Wl,-rpath,' + folder])
        silent(folder, ['./program'])
        for name in ('program', 'libother.so'):
            out = harness.run(['readelf', '-W', '--dyn-syms', name], cwd=folder).out
            harness.check('_semaphore' not in out, '%s', out)
            out = harness.run(['readelf', '-nW', name], cwd=folder).out
            harness.check(out.count('Name: no__args') == 1, '%s', out)


def gdb():
    """gdb lists the probes, stops at them and has the values."""
    program = harness.installed('gdb')
    values = {'integers': '-1 251 -300 65001 -70000 4000000001',
              'many': '1 -2 -3 4 4612811918334230528 7 -8 9 4617315517961601024 -11',
              'constant': '-1 255 1099511627776', 'reals': '1056964608 4604930618986332160'}
    skipped = {'many': (5,), 'constant': (3,)}  # addresses of text
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        for compiler, options in (('gcc', '-O0'), ('gcc', '-O2'), ('clang', '-O2')):
            if not left_out.which(compiler):
                continue
            compile_with(folder, compiler, 'c', options)
            script = ['info probes stap test'] + ['break -probe-stap test:' + name for name in values]
            script += ['run'] + ['source stop.gdb'] * len(values)
            write(folder, 'commands.gdb', '\n'.join(script) + '\n')
            write(folder, 'stop.gdb', 'python\nimport gdb\n'
                  'n = int(gdb.parse_and_eval("$_probe_argc"))\n'
                  'print("VALUES", *[gdb.parse_and_eval("$_probe_arg%d" % i) for i in range(n)])\n'
                  'end\ncontinue\n')
            result = harness.run([program, '-q', '-nx', '-batch', '-iex', 'set debuginfod enabled off',
                                  '-x', 'commands.gdb', './program'], cwd=folder)
            harness.check('exited with code 02' in result.out, 'gdb raised no semaphore: %s', result)
            found = {tuple(line.split()[1:]) for line in re.findall(r'VALUES.*', result.out)}
            for name, wanted in values.items():
                harness.check(any(wanted == ' '.join(v for i, v in enumerate(each)
                                                     if i not in skipped.get(name, ()))
                                  for each in found), '%s %s: %s\n%s', compiler, options, name, result)


def old_makefile():
    """-G: an object file that a linker takes, without a word: makefiles call it each time."""
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        for said in (dtrace(folder, '-G', '-s', 'provider.d', 'main.o', 'other.o'),
                     dtrace(folder, '-G', '-n', 'provider n { probe p(); };', '--', 'true')):
            harness.check(said == '', '%s', said)
        harness.check(os.path.exists(os.path.join(folder, 'd.out')), 'no d.out')
        harness.check(dtrace(folder, '-q', '-G', '-s', 'provider.d', '-o', 'x.o') == '', 'not quiet')
        for compiler in ('gcc', 'clang'):
            if left_out.which(compiler):
                compile_with(folder, compiler, 'c', '-O2', ['provider.o', 'x.o'])
                silent(folder, ['./program'])
        out = harness.run(['readelf', '-lW', 'program'], cwd=folder).out
        harness.check(re.search(r'GNU_STACK.* RW ', out), 'an executable stack: %s', out)


TYPED = '''
struct item { int id; };
typedef struct info { int id; string name; } info_t;
translator info_t < userland struct item *p > { id = p->id; name = "an item"; };
provider test {
	probe integers(int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t);
	probe reals(float a, double b);
	probe text(string s, userland struct item *p, char *c) : (info_t *p, string s);
};
test$target:::integers { printf("%d %d %d\\n", args[0], args[1], args[5]); }
test$target:::reals { printf("%.2f %.2f\\n", args[0], args[1]); }
test$target:::text { printf("%s %d %s\\n", args[1], args[0]->id, args[0]->name); }
END { printf("end\\n"); }
'''


def prepare_typed(folder):
    prepare(folder)
    compile_with(folder, 'gcc', 'c', '-O2')
    write(folder, 'typed.d', TYPED)


def typed():
    """args[] have the types of a declaration in the script, translated where it says so."""
    with tempfile.TemporaryDirectory() as folder:
        prepare_typed(folder)
        result = harness.run([harness.DTRACE, '-qs', 'typed.d', '-c', './program'], cwd=folder)
        harness.check(result.out == '-1 251 4000000001\n0.50 0.75\nname 8 an item\nend\n\n', '%s', result)
        for program, wanted in (('test$target:::reals { trace(args[2]); }', 'D_ARGS_IDX'),
                                ('test$target:::words { trace(args[9]); }', 'D_ARGS_'),
                                ('test$target:::text { trace(args[0]); }', 'D_TRACE_DYN')):
            write(folder, 'wrong.d', TYPED + program)
            result = harness.run([harness.DTRACE, '-x', 'errtags', '-qs', 'wrong.d', '-c', './program'], cwd=folder)
            harness.check(result.status == 1 and '[' + wanted in result.err, '%s: %s', program, result)


def listed():
    """-lv shows the types of a declaration, the translated ones where it translates."""
    with tempfile.TemporaryDirectory() as folder:
        prepare_typed(folder)
        result = harness.run([harness.DTRACE, '-lvs', 'typed.d', '-c', './program'], cwd=folder)
        probes = re.split(r'^ *\d+ +test\d+ .* (\w+)$', result.out, flags=re.M)
        types = {name: re.findall(r'args\[\d\]: (.*)', text)
                 for name, text in zip(probes[1::2], probes[2::2])}
        harness.check(result.status == 0 and types == {
            'integers': ['int8_t', 'uint8_t', 'int16_t', 'uint16_t', 'int32_t', 'uint32_t'],
            'reals': ['float', 'double'], 'text': ['info_t *', 'string']}, '%s: %s', types, result)


def sample():
    """samples/usdt is built by its makefile, and traced as its README says."""
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../samples/usdt')
    make = harness.installed('make')
    with tempfile.TemporaryDirectory() as folder:
        for name in os.listdir(here):
            shutil.copy(os.path.join(here, name), folder)
        result = harness.run([make, 'DTRACE=' + harness.DTRACE], cwd=folder)
        harness.check(result.status == 0 and not result.err, '%s', result)
        result = harness.run([harness.DTRACE, '-o', 'data', '-qs', 'shop.d', '-s', 'orders.d', '-c', './shop'],
                             cwd=folder)
        harness.check(result.status == 0 and result.out == '2750 cents\n', '%s', result)
        with open(os.path.join(folder, 'data'), encoding='utf-8') as f:
            found = f.read()
        wanted = 'Grace opens\n'
        for order, guest in enumerate(('Ada', 'Brian', None, 'Dennis', 'Ada')):
            if guest:
                wanted += 'order %d: %s, table %d\n' % (order, guest, order + 10)
            cents = 250 * (order + 1)
            wanted += ('order 3: sold out\n' if order == 3 else 'order %d: number %d for %d, %.2f kg\n'
                       % (order, order + 100, cents, cents / 1000))
        harness.check(re.sub(r'\n\s+', '\n', found) == wanted + '2750\n', '%s', found)


harness.main({'typed': typed, 'listed': listed, 'sample': sample, 'built': built, 'in_library': in_library, 'gdb': gdb, 'old_makefile': old_makefile})
