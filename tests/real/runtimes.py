#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stacks of code that runtimes of languages compile, with the names that they list."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
from attached import Attached  # noqa: E402

NODE = """
const fs = require('fs');
function leaf() { fs.statSync('/dev/null'); }
function middle() { leaf(); }
function handleWork() { middle(); }
for (let i = 0; i < 20; i++)
	handleWork();
"""
MONO = """
namespace Shop {
	class Worker {
		static bool Leaf() { return System.IO.File.Exists("/dev/null"); }
		static bool Middle() { return Leaf(); }
		static bool HandleWork() { return Middle(); }
		static void Main() { for (int i = 0; i < 20; i++) HandleWork(); }
	}
}
"""
JAVA = """
public class Worker {
	static long leaf() { return new java.io.File("/dev/null").length(); }
	static long middle() { return leaf(); }
	static long handleWork() { return middle(); }
	public static void main(String[] args) { for (int i = 0; i < 20; i++) handleWork(); }
}
"""
JAVA_OPTIONS = ['-Xcomp', '-XX:+PreserveFramePointer', '-XX:+UnlockDiagnosticVMOptions',
                '-XX:+DumpPerfMapAtExit', '-XX:CompileCommand=quiet',
                '-XX:CompileCommand=compileonly,Worker::*',
                '-XX:CompileCommand=dontinline,Worker::*']


def sources(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    return path


def compiled(command):
    result = harness.run(command)
    harness.check(result.status == 0, '%s', result)


def managed(command, frames, **kwargs):
    """A stack of a call of stat() has these frames, one after the other, below native ones;
    the last native frames are below all of them."""
    result = harness.traced(
        'syscall::stat:entry, syscall::newfstatat:entry, syscall::statx:entry '
        '{ @[ustack(60)] = count(); } '
        'proc:::exit /pid == $target/ { printf("pid %d\\n", pid); }', command, ['-q'],
        timeout=100, **kwargs)
    pid = re.search(r'^pid (\d+)$', result.data, re.M)
    if pid and os.path.exists('/tmp/perf-%s.map' % pid.group(1)):
        os.unlink('/tmp/perf-%s.map' % pid.group(1))
    wanted = re.compile(r'libc\.so\.6`.*' + r'[^\n]*\n +'.join(
        'jit`' + re.escape(f) for f in frames) + r'.*`(__libc_start_main|start_thread)', re.S)
    harness.check(any(wanted.search(stack) for stack in result.data.split('\n\n')), '%s', result)


def node():
    with tempfile.TemporaryDirectory(prefix='node-') as folder:
        path = sources(folder, 'work.js', NODE)
        managed('%s --perf-basic-prof --always-sparkplug %s' % (harness.installed('node'), path),
                ['JS:^%s %s' % (f, path) for f in ('leaf', 'middle', 'handleWork')],
                cwd=folder)  # it writes a log there


def node_interpreted():
    """Functions that node only interprets have frames too, by an option of its own."""
    with tempfile.TemporaryDirectory(prefix='node-') as folder:
        path = sources(folder, 'work.js', NODE)
        managed('%s --perf-basic-prof --interpreted-frames-native-stack --no-sparkplug --no-opt %s'
                % (harness.installed('node'), path),
                ['JS:~%s %s' % (f, path) for f in ('leaf', 'middle', 'handleWork', '')],
                cwd=folder)  # it writes a log there


def jitdump():
    """The same, listed in a jitdump file."""
    with tempfile.TemporaryDirectory(prefix='node-') as folder:
        path = sources(folder, 'work.js', NODE + 'setTimeout(() => {}, 500);')
        managed('%s --perf-prof --always-sparkplug %s' % (harness.installed('node'), path),
                ['JS:^%s %s' % (f, path) for f in ('leaf', 'middle', 'handleWork')],
                cwd=folder)  # it writes its files there


def mono():
    with tempfile.TemporaryDirectory(prefix='mono-') as folder:
        path = sources(folder, 'work.cs', MONO)
        runtime = harness.installed('mono')
        compiled([harness.installed('mcs'), '-out:' + path + '.exe', path])
        managed('%s --jitmap %s.exe' % (runtime, path),
                ['Shop.Worker:%s (' % f for f in ('Leaf', 'Middle', 'HandleWork', 'Main')],
                env={'MONO_DEBUG': 'disable_omit_fp'})


def java():
    with tempfile.TemporaryDirectory(prefix='java-') as folder:
        path = sources(folder, 'Worker.java', JAVA)
        compiled([harness.installed('javac'), '-d', folder, path])
        managed(' '.join(['java', '-cp', folder, *JAVA_OPTIONS, 'Worker']),
                ['long Worker.%s(' % f for f in ('leaf', 'middle', 'handleWork')])


ERLANG = """
-module(work).
-export([main/0, leaf/1, middle/1, handle/1]).
leaf(N) -> os:getpid(), N.
middle(N) -> leaf(N) + 1.
handle(0) -> 0;
handle(N) -> middle(N) + handle(N - 1).
main() ->
    io:format("ready~n"),
    case io:get_line("") of
        eof -> halt(3);
        Line -> handle(list_to_integer(string:trim(Line))), main()
    end.
"""


class Piped:
    """A program that says "ready", does what a line of its input asks, and says it again."""

    def __init__(self, command, folder):
        self.process = subprocess.Popen(command, cwd=folder, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.pid = self.process.pid
        self.hear()

    def hear(self):
        line = self.process.stdout.readline()
        harness.check(line == 'ready\n', 'it says %r', line)

    def work(self, n):
        self.process.stdin.write('%d\n' % n)
        self.process.stdin.flush()
        self.hear()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.process.stdin.close()
        if kind:
            self.process.kill()
        status = self.process.wait(20)
        self.process.stdout.close()
        for path in ('/tmp/perf-%d.map', '/tmp/jit-%d.dump'):
            if os.path.exists(path % self.pid):
                os.unlink(path % self.pid)
        harness.check(kind or status == 3, 'it ended with %s', status)


ERLANG_PROBES = r"""
    PROVIDER$target:jit:\$work\:leaf\/1:entry { @[probefunc] = count(); }
    PROVIDER$target:beam*:os_getpid_0:entry, syscall::getpid:entry { @s[ustack(99)] = count(); }
"""
ERLANG_STACK = re.compile(
    r'jit`\$erts_beamasm:normal_exit/0[^;]*(;jit`\$init:[^;]*)+;jit`\$work:main/0'
    r'(;jit`\$work:handle/1)+;jit`\$work:middle/1;jit`\$work:leaf/1;jit`\$global::[^;]*'
    r';beam.smp`os_getpid_0(;beam.smp`[^;]*;libc.so.6`getpid)?')


def erlang():
    """Erlang code has a stack of its own, to which its frame pointer leads from the functions
    of C that it calls; its functions have probes."""
    with tempfile.TemporaryDirectory(prefix='erlang-') as folder:
        compiler = os.path.join(os.path.dirname(harness.installed('erl')), 'erlc')
        compiled([compiler, '-o', folder, sources(folder, 'work.erl', ERLANG)])
        for kind, provider in (('map', 'pid'), ('true', 'fpid')):
            command = ['erl', '+JPperf', kind, '-boot', 'no_dot_erlang', '-noshell', '-s',
                       'work', 'main']
            with Piped(command, folder) as program:
                program.work(1)  # it loads what it needs
                with Attached([program.pid], ERLANG_PROBES.replace('PROVIDER', provider),
                              ['-x', 'stackformat=folded']) as run:
                    program.work(20)
                    program.work(3)
            stacks = re.findall(r'^\S+`\S+(?= \d+$)', run.out, re.M)
            harness.check(run.counts() == {'$work:leaf/1': 23} and stacks and
                          all(ERLANG_STACK.fullmatch(s) for s in stacks) and
                          sum(int(n) for n in re.findall(r'`\S+ (\d+)$', run.out, re.M)) == 46 and
                          'outermost' not in run.err, '%s\n%s', run.out, run.err)


PHP = """<?php
function leaf($n) { return getmypid() ? $n : 0; }
function middle($n) { return leaf($n) + 1; }
echo "ready\\n";
while (($line = fgets(STDIN)) !== false) {
    for ($i = 0; $i < (int)$line; $i++)
        middle($i);
    echo "ready\\n";
}
exit(3);
"""
PHP_OPTIONS = ['opcache.enable_cli=1', 'opcache.file_update_protection=0', 'opcache.jit=1205',
               'opcache.jit_buffer_size=1M', 'opcache.jit_debug=0x10']


def php():
    """PHP compiles into memory that its processes share: names, but no probes."""
    with tempfile.TemporaryDirectory(prefix='php-') as folder:
        path = sources(folder, 'work.php', PHP)
        command = [harness.installed('php'), *('-d' + o for o in PHP_OPTIONS), path]
        if 'Zend OPcache' not in harness.run([command[0], '-m']).out:
            raise harness.Skipped('no opcache: apt-get install php-cli')
        with Piped(command, folder) as program:
            with Attached([program.pid], 'fpid$target:jit:JIT\\$leaf:entry { @ = count(); } '
                          'syscall::getpid:entry { @s[ustack()] = count(); }',
                          ['-x', 'stackformat=folded']) as run:
                program.work(20)
                program.work(3)
    harness.check(re.search(r'^jit`JIT\$leaf;php[^`]*`[^;]*;libc.so.6`getpid 23$', run.out,
                            re.M) and
                  re.search(r'cannot trace \w+:jit:JIT\$leaf:entry at \w+: its memory is shared',
                            run.err), '%s\n%s', run.out, run.err)


LUA = """
local ffi = require 'ffi'
ffi.cdef 'int getppid(void);'
local C = ffi.C
print('ready') io.flush()
for line in io.lines() do
    for i = 1, tonumber(line) do C.getppid() end
    print('ready') io.flush()
end
os.exit(3)
"""


def luajit():
    """Debian's LuaJIT lists no code: addresses, and dtrace says why nothing is matched."""
    with tempfile.TemporaryDirectory(prefix='luajit-') as folder:
        command = [harness.installed('luajit'), sources(folder, 'work.lua', LUA)]
        with Piped(command, folder) as program:
            program.work(1000)  # that compiles the loop
            with Attached([program.pid], 'pid$target:jit::entry { @ = count(); } '
                          'syscall::getppid:entry { @s[ustack()] = count(); }',
                          ['-x', 'stackformat=folded']) as run:
                program.work(2000)
    stacks = re.findall(r'^(\S*;)libc.so.6`getppid (\d+)$', run.out, re.M)
    harness.check(sum(int(n) for _, n in stacks) == 2000 and
                  any(re.fullmatch('0x[0-9a-f]+;', s) for s, _ in stacks) and
                  'user stacks ended before the outermost frame' in run.err and
                  'lists no generated code' in run.err, '%s\n%s', run.out, run.err)


PYTHON = """
import os, sys, threading

def expect():
    frame, lines = sys._getframe(1), []
    while frame:
        lines.append('%s (%s:%d)' % (frame.f_code.co_qualname,
                                     os.path.basename(frame.f_code.co_filename), frame.f_lineno))
        frame = frame.f_back
    print('|'.join(lines), flush=True)

def look():
    expect(), os.stat('/dev/null')

class Wörker:
    def handle(self, n):
        return sorted([n, 1], key=lambda x:
                      look() or x)

def generate():
    for i in range(2):
        yield Wörker().handle(
            i)

def deep(n):
    if n:
        deep(n - 1)
    else:
        look()

# LINES
list(generate())
[look() for i in range(1)]
deep(30)
thread = threading.Thread(target=look, name='other')
thread.start()
thread.join()
exec(compile('look()', '/a/世🔥;\x1b.py', 'exec'))
""".replace('# LINES', '# one more\n' * 300)


def interpreter():
    path = '/usr/bin/python3.11'
    if not os.path.exists(path):
        raise harness.Skipped('no python3.11: apt-get install python3.11')
    return path


def python():
    """pystack() has the frames that the interpreter itself tells of, in all threads."""
    command = interpreter()
    with tempfile.TemporaryDirectory(prefix='python-') as folder:
        path = sources(folder, 'work.py', PYTHON)
        result = harness.traced(
            'syscall::newfstatat:entry, syscall::stat:entry '
            '/copyinstr(probefunc == "stat" ? arg0 : arg1) == "/dev/null"/ '
            '{ printf("<<%s>>\\n", pystack()); @[pystack(2)] = count(); }',
            command + ' ' + path, ['-q', '-x', 'strsize=2k'])
    wanted = [line.replace('\x1b', '?') for line in result.out.splitlines() if ' (' in line]
    found = [x.replace('\n', '|') for x in re.findall('<<(.*?)>>', result.data, re.S)]
    harness.check(len(wanted) == 8 and sorted(found) == sorted(wanted),
                  '%s\n%s\n%s', wanted, found, result)
    harness.check(re.search(r'look \(work\.py:\d+\)\ndeep \(work\.py:\d+\) +1$', result.data,
                            re.M), '%s', result)


def python_inside():
    """Under fpid a breakpoint serves pystack(), and a listing says why."""
    command = interpreter()
    with tempfile.TemporaryDirectory(prefix='python-') as folder:
        path = sources(folder, 'work.py', 'import os\ndef f():\n\tos.getppid()\nf()\n')
        text = 'fpid$target:libc:getppid:entry { @[pystack()] = count(); }'
        result = harness.traced(text, command + ' ' + path)
        harness.check('f (work.py:3)\n<module> (work.py:4) ' in result.data, '%s', result)
        listing = harness.run([harness.DTRACE, '-lvn', text, '-c', command + ' ' + path])
        harness.check('breakpoint: a clause needs what only the keeper knows' in listing.out,
                      '%s', listing)


MERGED = """import ctypes, os, sys

libc = ctypes.CDLL(None)
compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
THREAD = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)

def look():
    os.getppid()

def by_sort(x):
    look()

def outer():
    sorted([1], key=by_sort)

def compared(a, b):
    look()
    return 0

def generate():
    outer()
    yield

async def wait():
    for x in generate():
        pass

def deep(n):
    deep(n - 1) if n else look()

def spin():
    while os.times().user < 0.3:
        for _ in range(100000): pass

if sys.argv[1:]:
    spin()
try:
    wait().send(None)
except StopIteration:
    pass
array = (ctypes.c_int * 2)()
libc.qsort(array, 2, 4, compare(compared))
deep(30)
alone = ctypes.c_ulong()
libc.pthread_create(ctypes.byref(alone), None,
                    ctypes.cast(libc.getppid, ctypes.c_void_p), None)
libc.pthread_join(alone, None)
"""
NATIVE = r'(?:(?!\S*_PyEval_EvalFrameDefault)[^\n` ]+`[^\n]*\n)+'
LOOK = NATIVE + r'look \(merged.py:8\)\n'
START = r'<module> \(merged.py:%d\)\n' + NATIVE


def merged_stacks(provider, path, command):
    result = harness.traced(
        provider + '$target:libc:getppid:entry { ustack(80); } ', command + ' ' + path,
        ['-q', '-x', 'pystack'])
    return [re.sub(r'^ +', '', s, flags=re.M) + '\n' for s in result.data.strip().split('\n\n')]


def python_merged():
    """With -x pystack its frames stand among native ones where they run: below a builtin
    function, a generator and a coroutine, a callback of C, for pid and for fpid."""
    command = interpreter()
    wanted = [
        LOOK + r'by_sort \(merged.py:11\)\n' + NATIVE + r'outer \(merged.py:14\)\n'
        r'generate \(merged.py:21\)\n' + NATIVE + r'wait \(merged.py:25\)\n' + NATIVE + START % 38,
        LOOK + r'compared \(merged.py:17\)\n' + NATIVE + START % 42,
        LOOK + r'(?:deep \(merged.py:29\)\n){31}' + START % 43,
        r'libc.so.6`getppid\n(?:libc.so.6`[^\n]*\n)+']
    with tempfile.TemporaryDirectory(prefix='python-') as folder:
        path = sources(folder, 'merged.py', MERGED)
        for provider in ('pid', 'fpid'):
            found = merged_stacks(provider, path, command)
            harness.check(len(found) == len(wanted) and
                          all(re.fullmatch(w, f) for w, f in zip(wanted, found)),
                          '%s', '\n'.join(found))
        # samples, folded: the interpreter's own function is not to be seen
        result = harness.traced(
            'profile-997 { @[ustack(60)] = count(); }',
            command + ' ' + path + ' spin', ['-q', '-x', 'pystack', '-x', 'stackformat=folded'])
        harness.check(re.search(r'`PyEval_EvalCode;<module> \(merged.py:36\);spin '
                                r'\(merged.py:\d+\) +\d+$', result.data, re.M), '%s', result)


PROBED = """
def inner():
    return abs(-1)

def generate():
    inner()
    yield 1

for x in generate():
    pass
"""


def python_probed():
    """So it is at probes of the interpreter's own (USDT), in the function that evaluates frames
    and in those that it calls."""
    command = interpreter()
    with tempfile.TemporaryDirectory(prefix='python-') as folder:
        path = sources(folder, 'work.py', PROBED)
        result = harness.traced(
            'python*:::function__entry /copyinstr(arg1) == "generate"/ { ustack(60); } '
            'python$target:::line /copyinstr(arg1) == "inner"/ { ustack(60); } '
            'python$target:::function-return /copyinstr(arg1) == "inner"/ '
            '{ @[ustack(60)] = count(); }',
            command + ' ' + path, ['-q', '-x', 'pystack'])
    start = r'generate \(work.py:%d\)\n' + NATIVE + r'<module> \(work.py:9\)\n' + NATIVE
    inner = r'inner \(work.py:3\)\n' + start % 6
    wanted = [NATIVE + start % 5, inner, NATIVE + start % 7, NATIVE + inner + r'1\n']
    found = [re.sub(r'^ +', '', s, flags=re.M) + '\n'
             for s in re.split(r'\n\n+', result.data.strip())]
    harness.check(len(found) == len(wanted) and
                  all(re.fullmatch(w, f) for w, f in zip(wanted, found)), '%s', result)


cases = {f.__name__: f for f in (node, node_interpreted, jitdump, mono, java, erlang, php,
                                    luajit, python, python_inside, python_merged,
                                    python_probed)}


if __name__ == '__main__':
    harness.main(cases)
