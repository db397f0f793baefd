#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stacks of code that runtimes of languages compile, with the names that they list."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402

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


def python():
    """pystack() has the frames that the interpreter itself tells of, in all threads."""
    command = '/usr/bin/python3.11'
    if not os.path.exists(command):
        raise harness.Skipped('no python3.11: apt-get install python3.11')
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
    command = '/usr/bin/python3.11'
    if not os.path.exists(command):
        raise harness.Skipped('no python3.11: apt-get install python3.11')
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
    command = '/usr/bin/python3.11'
    if not os.path.exists(command):
        raise harness.Skipped('no python3.11: apt-get install python3.11')
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
    command = '/usr/bin/python3.11'
    if not os.path.exists(command):
        raise harness.Skipped('no python3.11: apt-get install python3.11')
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


cases = {f.__name__: f for f in (node, jitdump, mono, java, python, python_inside,
                                    python_merged, python_probed)}


if __name__ == '__main__':
    harness.main(cases)
