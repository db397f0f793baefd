#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that own parts of the address space, where no mapping of ours may be.

Sanitizers have their shadow at fixed addresses, and end when something is mapped there;
emulators, interpreters and virtual machines map low or fixed addresses.
"""
import functools
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
from attached import start_tracing  # noqa: E402

# work() is called 200 times in two threads, and 200 times when a line has been read.
SOURCE = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) long work(long v)
{
	volatile long *p = malloc(sizeof(*p));

	*p = v;
	v = *p + 1;
	free((void *)p);
	return v;
}
__attribute__((noinline)) long rest(long v)
{
	__asm__ volatile("" : "+r"(v));
	return v;
}
static void *thread(void *arg)
{
	for (long i = 0; i < 100; i++)
		work(rest(i));
	return arg;
}
int main(int argc, char **argv)
{
	for (int turn = 0; turn < argc; turn++) {
		pthread_t t[2];

		for (int i = 0; i < 2; i++)
			pthread_create(&t[i], NULL, thread, NULL);
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], NULL);
		fprintf(stderr, "alive\n");
		if (turn + 1 < argc)
			getchar();
	}
	return 7;
}
"""
# DataFlowSanitizer adds to the names.
COUNTS = """fpid$target:PROGRAM:work:entry, fpid$target:PROGRAM:work.dfsan:entry
{ @n["work"] = count(); }
pid$target:PROGRAM:rest:entry, pid$target:PROGRAM:rest.dfsan:entry
{ @n["rest"] = count(); }
fpid$target:libc.so.6:write:entry, syscall::write:entry, profile-97 { @m[probeprov] = count(); }
proc:::exit /execname == "PROGRAM"/ { @n["exit"] = count(); }
END { printa("%s %@d\\n", @n); }"""
ALIASES = ['-fsanitize=hwaddress', '-fsanitize-hwaddress-experimental-aliasing']
# LeakSanitizer is a tracer itself, and there is one for a process.
ENVIRONMENT = {'ASAN_OPTIONS': 'detect_leaks=0'}
OWNERS = {'thread': ('gcc', ['-fsanitize=thread']),
          'address': ('gcc', ['-fsanitize=address']),
          'thread_clang': ('clang', ['-fsanitize=thread']),
          'memory': ('clang', ['-fsanitize=memory']),
          'dataflow': ('clang', ['-fsanitize=dataflow']),
          'hwaddress': ('clang', ALIASES),
          'plain': ('gcc', [])}
KINDS = {'any': ['-fPIE', '-pie'], 'fixed': ['-fno-pie', '-no-pie'],
         'static': ['-static-pie']}


def build(folder, compiler, options):
    """The program; None: this compiler does not make such ones."""
    source, path = os.path.join(folder, 'p.c'), os.path.join(folder, 'prog')
    with open(source, 'w', encoding='utf-8') as f:
        f.write(SOURCE)
    made = subprocess.run([compiler, '-O1', '-g', '-pthread', *options, source, '-o', path],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    if made.returncode:
        return None
    return path


def starts(path):
    alone = harness.run([path], env=ENVIRONMENT)
    return (alone.status, alone.err) == (7, 'alive\n')


def expect(result, calls, what):
    said = dict(re.findall('^(work|rest|exit) ([0-9]+)$', result.out, re.M))
    harness.check('alive' in result.err and 'FATAL' not in result.err, '%s: %s', what, result)
    harness.check(said == {'work': str(calls), 'rest': str(calls), 'exit': '1'},
                  '%s: %s: %s', what, said, result)


def launched(path, when, fixed):
    """By -c, and as the child of a shell. With addresses at random, and without."""
    program = COUNTS.replace('PROGRAM', 'prog')
    prefix = ['setarch', platform.machine(), '-R'] if fixed else []
    what = '%s, %s' % (when, 'not at random' if fixed else 'at random')
    result = harness.run([*prefix, harness.DTRACE, '-x', 'evaltime=' + when, '-Zqn',
                          program, '-c', path], env=ENVIRONMENT)
    expect(result, 200, what)
    result = harness.run([*prefix, harness.DTRACE, '-x', 'evaltime=' + when, '-x', 'follow',
                          '-Zqn', program, '-c', 'sh -c "%s; echo status $?"' % path],
                         env=ENVIRONMENT)
    expect(result, 200, 'a child, ' + what)
    harness.check('status 7' in result.out, 'a child, %s: %s', what, result)


def attached(path):
    with subprocess.Popen([path, 'again'], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env={**os.environ, **ENVIRONMENT}) as p:
        try:
            harness.check(p.stderr.readline() == 'alive\n', 'it does not begin')
            tracer = start_tracing(p.pid, COUNTS.replace('PROGRAM', 'prog'), '-Zq')
            _, err = p.communicate('\n', 60)
            out, said = tracer.communicate(timeout=60)
        finally:
            p.kill()
    harness.check(p.returncode == 7 and err == 'alive\n', 'ended with %d: %s', p.returncode, err)
    expect(harness.Result(tracer.returncode, out, err + said), 200, 'attached')


def owner(name):
    """A program that a sanitizer has built runs as untraced, and all its calls count."""
    compiler, options = OWNERS[name]
    done = 0
    if not shutil.which(compiler):
        raise harness.Skipped('no ' + compiler)
    with tempfile.TemporaryDirectory() as folder:
        for kind, how in KINDS.items():
            path = build(folder, compiler, options + how)
            if not path or not starts(path):
                continue
            launched(path, 'exec', False)
            if kind == 'any':
                launched(path, 'main', True)
                attached(path)
            done += 1
    if not done:
        raise harness.Skipped('%s makes no programs with %s here' % (compiler, options))


RANGES = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
__attribute__((noinline)) int work(int v)
{
	__asm__ volatile("" : "+r"(v));
	return v + 1;
}
int main(int argc, char **argv)
{
	int taken = 0;

	work(0);
	for (int i = 1; i + 1 < argc; i += 2) {
		void *at = (void *)strtoul(argv[i], NULL, 16);
		size_t n = strtoul(argv[i + 1], NULL, 16) - (size_t)at;

		taken += mmap(at, n, PROT_NONE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				      MAP_FIXED_NOREPLACE, -1, 0) != at;
	}
	work(1);
	printf("taken %d\n", taken);
	return 0;
}
"""
# What programs map at fixed addresses, or expect to be free.
MAPPED = {'the low megabyte, of DOS': (0x10000, 0x110000),
          'the low addresses of Wine': (0x110000, 0x68000000),
          'what Wine shares': (0x7ffe0000, 0x7fff0000),
          'the low 2 GB of LuaJIT': (0x68000000, 0x7ffe0000),
          'the low 4 GB': (0x7fff0000, 0x100000000),
          'compressed classes and archives of Java': (0x800000000, 0x880000000),
          'arenas of Go': (0xc000000000, 0xc100000000),
          'shadows': (0x10000000000, 0x550000000000),
          'heaps of sanitizers and origins': (0x600000000000, 0x680000000000)}


def ranges():
    """A program gets all fixed addresses that it gets untraced."""
    words = ['%x' % word for pair in MAPPED.values() for word in pair]
    with tempfile.TemporaryDirectory() as folder:
        source, path = os.path.join(folder, 'r.c'), os.path.join(folder, 'ranges')
        with open(source, 'w', encoding='utf-8') as f:
            f.write(RANGES)
        subprocess.run(['gcc', '-D_GNU_SOURCE', '-O1', '-fPIE', '-pie', source, '-o', path],
                       check=True)
        if harness.run([path, *words]).out != 'taken 0\n':
            raise harness.Skipped('these addresses are taken in every process here')
        result = harness.run([harness.DTRACE, '-qn', 'fpid$target:a.out:work:entry,'
                              'fpid$target:libc.so.6:mm*:entry { @[probefunc] = count(); }',
                              '-c', ' '.join([path, *words])])
    said = harness.counts(result.out.replace('taken 0', ''))
    harness.check('taken 0' in result.out and said.get('work') == 2 and
                  said.get('mmap', said.get('mmap64')) == len(MAPPED), '%s', result)


REAL = {'luajit': ['luajit', '-e', 'local t = {} for i = 1, 1e5 do t[i] = {i} end print(#t)'],
        'java': ['java', '-Xshare:auto', '-Xmx64m', '-version'],
        'node': ['node', '-e', 'console.log(Buffer.alloc(1e6).length)'],
        'go': ['goroutines']}


def program(name):
    """A program that has addresses of its own prints the same, and its calls count."""
    words = REAL[name]
    words = [harness.target(words[0]) if name == 'go' else harness.installed(words[0]),
             *words[1:]]
    alone = harness.run(words)
    site = 'a.out:main*:entry' if name == 'go' else 'libc.so.6:mmap*:entry'
    with tempfile.NamedTemporaryFile('r') as data:
        result = harness.run([harness.DTRACE, '-qo', data.name, '-n', 'fpid$target:%s '
                              '{ @["calls"] = count(); }' % site, '-c',
                              ' '.join("'%s'" % word for word in words)])
        counted = harness.counts(data.read()).get('calls', 0)
    harness.check(result.status == 0 and counted > 0, '%d: %s', counted, result)
    if name != 'go': # that one ends and prints as it is timed
        harness.check(alone.status == 0 and result.out == alone.out, '%s instead of %s',
                      result, alone)


CASES = {name: functools.partial(owner, name) for name in OWNERS}
CASES['ranges'] = ranges
CASES.update({name: functools.partial(program, name) for name in REAL})
harness.main(CASES)
