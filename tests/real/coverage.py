#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every function of well-known objects, entry and return, by fpid: none is passed over in
silence, nearly all sites take jumps, and the programs print and end as ever."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness  # noqa: E402
import world  # noqa: E402
from attached import Attached  # noqa: E402
from programs import SQL  # noqa: E402

SURVEY = os.path.join(os.environ.get('BUILD', '.'), 'tests', 'survey', 'survey')

C = '''
typedef struct { int a, b[10]; const char *name; } item;
extern int printf(const char *, ...);
static int sum(item *p, int n)
{
	int total = 0;

	for (int i = 0; i < n; i++)
		switch (p->b[i % 10] & 7) {
		case 0: total++; break;
		case 1: total += i; break;
		case 2: total ^= p->a; break;
		case 5: total -= 3; break;
		default: total *= 2;
		}
	return total;
}
int main(int argc, char **argv)
{
	item x = {argc, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, argv[0]};

	return printf("%d %s", sum(&x, 100), x.name) < 0;
}
'''

PYTHON = '''
import collections, json, re
class Node:
    def __init__(self, key): self.key, self.left, self.right = key, None, None
    def add(self, key):
        side = 'left' if key < self.key else 'right'
        below = getattr(self, side)
        if below: below.add(key)
        else: setattr(self, side, Node(key))
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
data = {str(i): [i, i * 1.5, {'a': i}] for i in range(300)}
text = json.dumps(data, sort_keys=True)
print(fib(15), len(text), len(json.loads(text)), len(re.findall(r'(\\d+)', text)))
print(collections.Counter(text).most_common(3))
tree, x = Node(500), 12345
for i in range(500):
    x = (x * 1103515245 + 12345) % 2147483648
    tree.add(x)
print(sum(i * i for i in range(1000)), sorted(-v for v in range(50))[:3])
for i in range(20):
    try: raise ValueError(i)
    except ValueError as e: x += e.args[0]
print(x)
raise SystemExit(4)
'''

LUA = '''
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local t, words, sum = {}, {}, 0
for i = 1, 3000 do t[i] = (i * 7919) % 3001 end
table.sort(t)
for w in ("hello world "):rep(300):gmatch("%a+") do words[w] = (words[w] or 0) + 1 end
local co = coroutine.wrap(function() for i = 1, 100 do coroutine.yield(i) end end)
for i = 1, 100 do sum = sum + co() end
print(fib(18), t[1], t[#t], table.concat(t, ",", 1, 10), words.hello, words.world, sum)
print(pcall(error, "x"))
print(string.format("%5.2f %s %q", 3.14159, "abc", "a\\nb"))
os.exit(6)
'''


# Without any of these libc takes the functions that every processor can run.
NO_AVX512 = '-AVX512F,-AVX512VL,-AVX512BW'
NO_AVX = NO_AVX512 + ',-AVX2,-AVX_Fast_Unaligned_Load'
# The functions that libc picks for a processor differ in their code, and so do their sites:
# glibc.cpu.hwcaps, what the processor must have, and the end of memcpy's name.
VARIANTS = {
    'avx512': ('', ('avx512f', 'avx512vl', 'erms'), '_avx512_unaligned_erms'),
    'evex': ('-AVX512F', ('avx512f', 'avx512vl', 'erms'), '_evex_unaligned_erms'),
    'avx2': (NO_AVX512, ('avx2', 'erms'), '_avx_unaligned_erms'),
    'avx2_no_erms': (NO_AVX512 + ',-ERMS', ('avx2',), '_avx_unaligned'),
    'ssse3': (NO_AVX, ('ssse3',), '_ssse3'),
    'sse2': (NO_AVX + ',-SSSE3', ('erms',), '_sse2_unaligned_erms'),
    'sse2_no_erms': (NO_AVX + ',-SSSE3,-ERMS', (), '_sse2_unaligned'),
}


class Ledger:
    """The last line of a run that is not quiet."""

    def __init__(self, err):
        m = re.search(r'^dtrace: fpid: (\d+) of (\d+) sites are breakpoints; they served (\d+) '
                      r'of (\d+) hits', err, re.M)
        harness.check(m, 'there is no ledger:\n%s', err)
        self.breakpoints, self.sites, self.slow, self.hits = map(int, m.groups())
        more = re.search(r'^dtrace: (\d+) more sites cannot be traced', err, re.M)
        self.refused = len(re.findall(r'^dtrace: cannot trace fpid', err, re.M)) + (
            int(more.group(1)) if more else 0)

    def check(self, share):
        harness.check(self.hits > 1000, 'only %d hits', self.hits)
        harness.check(self.slow <= share * self.hits, '%d of %d hits by breakpoints', self.slow,
                      self.hits)

    def __str__(self):
        return '%d sites, %d breakpoints, %d refused, %d hits, %.3f %% by breakpoint' % (
            self.sites, self.breakpoints, self.refused, self.hits, 100 * self.slow / self.hits)


def surveyed(path):
    """What the file holds, by the survey: functions, those that globs pass by, refused."""
    out = subprocess.run([SURVEY, os.path.realpath(path)], stdout=subprocess.PIPE, text=True,
                         check=False).stdout
    m = re.search(r'^all +(\d+) +(\d+) .* (\d+) [0-9a-f]{8}$', out, re.M)
    harness.check(m, 'the survey of %s says:\n%s', path, out)
    return int(m.group(1)), int(m.group(2)), int(m.group(3))


def every(path, field, command):
    """Each function has a site: those of one name share a probe."""
    functions, skipped, refused = surveyed(path)
    listing = harness.run([harness.DTRACE, '-l', '-v', '-n', 'fpid$target:%s::entry' % field,
                           '-c', command], timeout=200).out
    sites = len(set(re.findall(r'^\t\t0x([0-9a-f]+) ', listing, re.M)))
    harness.check(sites == functions - skipped, '%d sites for %d functions of %s, %d of which '
                  'globs pass by', sites, functions, path, skipped)
    return refused


def whole(path, field, command, share, **kwargs):
    """All functions, entry and return, under a workload."""
    refused = every(path, field, command)
    result = world.same('pid$target:%s::entry, pid$target:%s::return { @ = count(); }' % (
        field, field), command, timeout=350, **kwargs)
    ledger = Ledger(result.err)
    harness.check(ledger.refused == refused, '%d refused instead of %d', ledger.refused, refused)
    ledger.check(share)
    return str(ledger)


def library(command, name):
    """The file of a library that the command uses."""
    out = subprocess.run(['ldd', command], stdout=subprocess.PIPE, text=True, check=True).stdout
    m = re.search(r'%s\S* => (\S+)' % re.escape(name), out)
    harness.check(m, '%s does not use %s', command, name)
    return m.group(1)


def lua():
    with tempfile.TemporaryDirectory() as folder:
        path = world.script(folder, 'script.lua', LUA)
        lua54 = harness.installed('lua5.4')
        return whole(lua54, 'a.out', lua54 + ' ' + path, 0.001)


def python(field, share):
    with tempfile.TemporaryDirectory() as folder:
        path = world.script(folder, 'script.py', PYTHON)
        python3 = '/usr/bin/python3'
        file = python3 if field == 'a.out' else library(python3, field)
        return whole(file, field, '%s -I -S -B %s' % (python3, path), share,
                     env={'PYTHONHASHSEED': '0'})


def variant(name):
    """The libc case again, with the functions that libc has for another processor."""
    capabilities, needed, ending = VARIANTS[name]
    with open('/proc/cpuinfo', encoding='utf-8') as f:
        flags = re.search(r'^flags\s*: (.*)$', f.read(), re.M).group(1).split()
    lacking = [flag for flag in needed if flag not in flags]
    if lacking:
        raise harness.Skipped('the processor has no ' + ', '.join(lacking))
    env = {'GLIBC_TUNABLES': 'glibc.cpu.hwcaps=' + capabilities, 'PYTHONHASHSEED': '0'}
    with tempfile.TemporaryDirectory() as folder:
        command = '/usr/bin/python3 -I -S -B ' + world.script(folder, 'script.py', PYTHON)
        used = harness.tagged(harness.traced(
            'fpid$target:libc.so.6:__memcpy_*:entry { @[probefunc] = count(); } '
            'END { printf("\\n"); printa("E %s %@d\\n", @); }', command, env=env).data, 'E')
        harness.check(used, 'no memcpy was called')
        # other processors have preferences of their own
        if not any(function.endswith(ending) for function in used):
            raise harness.Skipped('libc picks %s here' % ', '.join(used))
        result = world.same('pid$target:libc.so.6::entry, pid$target:libc.so.6::return '
                            '{ @ = count(); }', command, timeout=350, env=env)
    ledger = Ledger(result.err)
    ledger.check(0.001)
    return '%s: %s' % (', '.join(used), ledger)


def sqlite():
    with tempfile.TemporaryDirectory() as folder:
        path = world.script(folder, 'statements.sql', SQL)
        sqlite3 = harness.installed('sqlite3')
        return whole(library(sqlite3, 'libsqlite3.so'), 'libsqlite3.so.0',
                     '%s -batch -init %s :memory: .quit' % (sqlite3, path), 0.005)


def stdcxx():
    target = harness.target('throwing')
    return whole(library(target, 'libstdc++.so'), 'libstdc*', target, 0.01)


def compiler():
    cc1 = subprocess.run(['gcc', '-print-prog-name=cc1'], stdout=subprocess.PIPE, text=True,
                         check=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        path = world.script(folder, 'sum.c', C)
        return whole(cc1, 'a.out', '%s -quiet -O1 %s -o /dev/stdout' % (cc1, path), 0.005)


def redis():
    """Under load; what the server counts is the same number."""
    with tempfile.TemporaryDirectory() as folder, world.Redis(folder) as server:
        path = os.path.realpath('/proc/%d/exe' % server.process.pid)
        program = ('pid$target:a.out::entry, pid$target:a.out::return { @ = count(); } '
                   'pid$target:a.out:call:entry { calls++; } '
                   'END { printf("\\nE call %d\\n", calls); }')
        with Attached([server.process.pid], program, ['-Z']) as run:
            before = int(server.info('total_commands_processed'))
            status = subprocess.run([harness.installed('redis-benchmark'), '-s', server.socket,
                                     '-q', '-n', '3000', '-c', '20', '-t',
                                     'set,get,lpush,lrange_100,zadd'], stdout=subprocess.DEVNULL,
                                    check=False).returncode
            harness.check(status == 0, 'the benchmark ended with %d', status)
            commands = int(server.info('total_commands_processed')) - before
            run.end()
        ledger = Ledger(run.err)
        _, _, refused = surveyed(path)
        harness.check(ledger.refused == refused, '%d refused instead of %d', ledger.refused,
                      refused)
        harness.check(harness.tagged(run.out, 'E').get('call') == commands + 1,
                      '%d commands:\n%s', commands, run.out[-300:])
        ledger.check(0.001)
        return str(ledger)


def addresses():
    """Without random addresses there is little room between the libraries and the stack:
    it is left for what must be near."""
    result = harness.run(['setarch', '-R', harness.DTRACE, '-n',
                          'fpid$target:libc.so.6::entry { @ = count(); }', '-c', '/bin/true'])
    ledger = Ledger(result.err)
    harness.check(ledger.breakpoints < ledger.sites / 50, '%s', ledger)


CASES = {'lua': lua, 'python': lambda: python('a.out', 0.001), 'redis': redis,
         'libc': lambda: python('libc.so.6', 0.001), 'sqlite': sqlite, 'stdcxx': stdcxx,
         'compiler': compiler, 'addresses': addresses}
CASES.update({'libc_' + name: lambda name=name: variant(name) for name in VARIANTS})

if __name__ == '__main__':
    harness.main(CASES)
