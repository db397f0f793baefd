#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""dump(): cores of processes that go on."""
import os
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402

SOURCE = r'''
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *heap;
static long loops;
static volatile int ready, got;
static __thread volatile int own = 11;

__attribute__((noinline)) int work(int n, const char *name)
{
	volatile int local = n * 3;
	volatile double half = n / 2.0;

	heap[0] = 'A' + n;
	local += name[0] == 'n' && half > 0;
	return local;
}

static void *run(void *arg)
{
	own = 22;
	__atomic_add_fetch(&ready, 1, __ATOMIC_SEQ_CST);
	for (;;)
		__atomic_add_fetch((long *)arg, 1, __ATOMIC_RELAXED);
	return NULL;
}

static void *sleep_on(void *arg)
{
	own = 33;
	__atomic_add_fetch(&ready, 1, __ATOMIC_SEQ_CST);
	for (;;)
		pause();
	return arg;
}

static void on_child(int sig)
{
	got = sig;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 5, sum = 0;
	pthread_t t;

	signal(SIGCHLD, on_child);
	heap = malloc(1 << 20);
	memset(heap, 'x', 1 << 20);
	pthread_create(&t, NULL, run, &loops);
	pthread_create(&t, NULL, sleep_on, NULL);
	while (ready < 2)
		;
	for (int i = 0; i < n; i++)
		sum += work(i, "name");
	/* a child that it did not make */
	if (got || waitpid(-1, NULL, WNOHANG | __WALL) >= 0)
		sum = -1;
	printf("sum %d\n", sum);
	fflush(stdout);
	if (argc > 2)
		for (;;)
			work(1, "again");
	return 0;
}
'''


def build(folder):
    with open(os.path.join(folder, 'program.c'), 'w', encoding='utf-8') as f:
        f.write(SOURCE)
    result = harness.run(['gcc', '-g', '-O1', '-pthread', 'program.c', '-o', 'program'], cwd=folder)
    harness.check(result.status == 0, '%s', result)


def dtrace(folder, program, *words, command='./program 5'):
    return harness.run([harness.DTRACE, '-wqn', program, *words, '-c', command], cwd=folder)


def gdb(folder, core, *commands):
    words = [harness.installed('gdb'), '-q', '-nx', '-batch', '-iex', 'set debuginfod enabled off']
    for each in commands:
        words += ['-ex', each]
    return harness.run([*words, './program', core], cwd=folder).out


def opened():
    """gdb has the threads, registers, variables and memory of that moment; the code is the program's."""
    commands = ['info threads', 'bt', 'print n', 'print name', 'print *heap@3', 'print own',
                'print/x $pc == &work', 'x/i &work', 'thread apply all -q print own']
    with tempfile.TemporaryDirectory() as folder:
        build(folder)
        for provider in ('pid', 'fpid'):
            core = 'core.' + provider
            result = dtrace(folder, '%s$target:a.out:work:entry /arg0 == 3/ { dump("core.%%s", "%s"); } '
                            '%s$target:a.out:work:return { n++; } END { printf("%%d\\n", n); }'
                            % (provider, provider, provider))
            harness.check(result.status == 0 and not result.err and 'sum 34' in result.out and
                          '5\n' in result.out, '%s', result)
            path = os.path.join(folder, core)
            harness.check(os.stat(path).st_mode & 0o7777 == 0o600 and
                          os.stat(path).st_blocks * 512 < 8 << 20, 'it is large: %s', os.stat(path))
            said = gdb(folder, core, *commands)
            for wanted in (r'\* 1 +Thread .*work \(n=[^,]*3, name=.*0x\w+ "name"\)', r'^  3 +Thread', 'in main',
                           r'= 3$', '"name"', r'= "Cxx"', r'= 11$', '= 0x1', r'<work>:\s+(?!int3|jmp)',
                           r'= 22$', r'= 33$'):
                harness.check(re.search(wanted, said, re.M), '%s: no %s\n%s', provider, wanted, said)


def files():
    """Only files of the user are written, and only as many as -x dump says."""
    probe = 'pid$target:a.out:work:entry { %s }'
    with tempfile.TemporaryDirectory() as folder:
        build(folder)

        def path(name):
            return os.path.join(folder, name)

        os.symlink(path('victim'), path('link'))
        os.mkfifo(path('pipe'))
        os.mkdir(path('folder'))
        with open(path('old'), 'w', encoding='utf-8') as f:
            f.write('old' * 100)
        with open(path('victim'), 'w', encoding='utf-8') as f:
            f.write('victim')
        os.link(path('victim'), path('second'))
        for name in ('link', 'pipe', 'folder', 'second', 'none/core'):
            result = dtrace(folder, probe % ('dump("%s"); exit(0);' % name))
            harness.check("couldn't dump() \"%s\"" % name in result.err, '%s', result)
        result = dtrace(folder, probe % 'dump("%s/x", copyinstr(arg1)); dump("../%s", execname); exit(0);')
        harness.check('dump' in result.err and not os.path.exists(path('name/x')), '%s', result)
        with open(path('victim'), encoding='utf-8') as f:
            harness.check(f.read() == 'victim', 'a file was overwritten')
        result = dtrace(folder, probe % 'gcore("%s.%d", arg0 ? "core" : "old", arg0);', '-x', 'dump=2')
        harness.check(result.status == 0 and 'sum 34' in result.out and
                      result.err.count("couldn't dump()") == 1 and '-x dump=2 allows no more' in result.err,
                      '%s', result)
        harness.check(sorted(n for n in os.listdir(folder) if '.' in n) ==
                      ['core.1', 'old.0', 'program.c'], '%s', os.listdir(folder))
        result = dtrace(folder, probe % 'dump("old"); dump("twice"); exit(0);')
        harness.check('one core is written of one event' in result.err, '%s', result)
        harness.check(re.search(r'work \(n=[^,]*0, ', gdb(folder, 'old', 'bt')), 'no core in place of the old file')


def killed():
    """A kill of dtrace or of the keeper while cores are written leaves no process. After that of dtrace the program
    goes on; without a keeper a breakpoint may end it."""
    for victim in ('dtrace', 'keeper'):
        with tempfile.TemporaryDirectory() as folder:
            build(folder)
            with subprocess.Popen(['./program', '5', 'on'], cwd=folder, stdout=subprocess.PIPE) as program:
                try:
                    harness.check(program.stdout.readline() == b'sum 34\n', 'it does not run')
                    kill_one(folder, victim, program.pid)
                    harness.until(lambda: copies(folder, program.pid) == 0, 20, 'the end of all copies')
                    if victim == 'keeper':
                        continue
                    before = cpu(program.pid)
                    harness.until(lambda: cpu(program.pid) > before + 5, 20, 'the program to go on')
                finally:
                    program.kill()


def kill_one(folder, victim, pid):
    """Traces the process, and kills dtrace or the keeper when there are some cores."""
    with subprocess.Popen([harness.DTRACE, '-wqn', 'pid$target:a.out:work:entry { dump("core.%d", n++); }',
                           '-x', 'dump=100', '-p', str(pid)], cwd=folder, stderr=subprocess.DEVNULL) as tracer:
        try:
            harness.until(lambda: os.path.exists(os.path.join(folder, 'core.2')), 20, 'the third core')
            with open('/proc/%d/task/%d/children' % (tracer.pid, tracer.pid), encoding='utf-8') as f:
                keeper = int(f.read().split()[0])
            os.kill(keeper if victim == 'keeper' else tracer.pid, signal.SIGKILL)
            tracer.wait(20)
        finally:
            tracer.kill()


def cpu(pid):
    with open('/proc/%d/stat' % pid, encoding='utf-8') as f:
        return int(f.read().rsplit(')', 1)[1].split()[11])


def copies(folder, pid):
    """How many processes but this one run the program."""
    program = os.stat(os.path.join(folder, 'program'))
    n = 0
    for other in filter(str.isdigit, os.listdir('/proc')):
        try:
            n += other != str(pid) and os.path.samestat(os.stat('/proc/%s/exe' % other), program)
        except OSError:
            pass
    return n


harness.main({'opened': opened, 'files': files, 'killed': killed})
