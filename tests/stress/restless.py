#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attach to programs at work and leave again, at random moments, as fast as it goes.

Each turn takes all functions of the module that works, or those of some letter, entry and
return, for some milliseconds; then dtrace ends by itself, by Ctrl-C or by kill -9. After
each turn no thread is traced and the text is as before. The program ends as untraced.
RESTLESS_SECONDS is the time for each program (default 1), STRESS_SEED the random moments.
"""
import os
import random
import signal
import string
import subprocess
import sys
import tempfile
import time
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..'))
sys.path.insert(0, os.path.join(HERE, '..', 'real'))
import harness  # noqa: E402
import world  # noqa: E402
from attached import check_free, executable_mappings, text_of  # noqa: E402

SECONDS = float(os.environ.get('RESTLESS_SECONDS', '1'))
SEED = int(os.environ.get('STRESS_SEED', '0')) or int(time.time())
END_SECONDS = 10 * float(os.environ.get('STRESS_SLOWNESS', '1'))
WORK_SECONDS = 100

# Each works for a second or so.
LUA = '''
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local sum = 0
for round = 1, 300 do
	local t, words = {}, {}
	for i = 1, 3000 do t[i] = (i * 7919) % 3001 end
	table.sort(t, function(a, b) return a < b end)
	for w in ("hello world "):rep(300):gmatch("%a+") do words[w] = (words[w] or 0) + 1 end
	local co = coroutine.wrap(function() for i = 1, 100 do coroutine.yield(i) end end)
	for i = 1, 100 do sum = sum + co() end
	for i = 1, 100 do sum = sum + (pcall(error, i) and 1 or 2) end
	sum = sum + fib(14) + t[17] + words.hello
end
print(sum)
os.exit(6)
'''

# nothing that would be loaded later
PYTHON = '''
import re
def work(round):
    data = {str(i): [i, i * 1.5, {'a': round}] for i in range(300)}
    text = repr(sorted(data.items()))
    found = len(re.findall('[0-9]+', text)) + len(eval(text))
    for i in range(100):
        try: raise ValueError(i)
        except ValueError as e: found += e.args[0]
    return found + len(str(sorted(-v for v in range(50))))
print(sum(work(round) for round in range(300)))
raise SystemExit(4)
'''

SQL = '''
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);
CREATE INDEX tb ON t(b);
''' + '''
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
  INSERT INTO t(b) SELECT 'row ' || (i * 7919 % 997) FROM n;
SELECT count(*), sum(a), max(b) FROM t WHERE b LIKE 'row %5';
UPDATE t SET b = upper(b) WHERE a % 10 = 0;
DELETE FROM t WHERE a % 3 > 0;
''' * 40

C = 'int printf(const char *, ...);\n' + ''.join('''
static int sum%d(const int *p, int n)
{
	int total = %d;

	for (int i = 0; i < n; i++)
		switch (p[i %% 10] & 7) {
		case 0: total++; break;
		case 1: total += i; break;
		case 2: total ^= n; break;
		case 5: total -= 3; break;
		default: total *= 2;
		}
	return total;
}
int use%d(int n) { int a[10] = {n, 1, 2}; return printf("%%d", sum%d(a, n)); }
''' % (i, i, i, i) for i in range(400))


class Turns:
    """What the turns of one case have come to."""

    def __init__(self):
        self.moments = random.Random(SEED)
        self.number, self.slowest = 0, 0
        self.end = time.monotonic() + SECONDS

    def are_left(self):
        return time.monotonic() < self.end

    def __str__(self):
        return '%d turns, slowest end %.2f s' % (self.number, self.slowest)


def program_of_turn(module, moments):
    functions = moments.choice(['', moments.choice(string.ascii_letters) + '*'])
    how = moments.choice(['at_once', 'soon', signal.SIGINT, signal.SIGKILL])
    text = ', '.join('%s$target:%s:%s:%s' % (harness.PROVIDER, module, functions, name)
                     for name in ('entry', 'return')) + ' { @ = count(); }'
    if how == 'at_once':
        text += ' BEGIN { exit(0); }'
    elif how == 'soon':
        text += ' tick-%dms { exit(0); }' % moments.randint(1, 10)
    return text, how


def turn(process, module, turns):
    """dtrace comes and goes."""
    text, how = program_of_turn(module, turns.moments)
    mark = uuid.uuid4().hex
    with tempfile.TemporaryFile('w+') as out:
        dtrace = subprocess.Popen(
            [harness.DTRACE, '-qZ', '-n', text, '-p', str(process.pid)], stdout=out,
            stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, start_new_session=True,
            env=dict(os.environ, HARNESS=mark))
        try:
            if isinstance(how, signal.Signals):
                time.sleep(turns.moments.uniform(0, 0.05))  # any moment
                dtrace.send_signal(how)
            took = harness.until(lambda: dtrace.poll() is not None, END_SECONDS,
                                 'the end of dtrace')
        finally:
            dtrace.kill()
            dtrace.wait()
        # an early signal finds no handler yet
        harness.check(dtrace.returncode in (0, -how if isinstance(how, int) else 0) or
                      is_over(process), 'dtrace ended with %s: %s\n%s', dtrace.returncode,
                      text, harness.content(out))
    # killed, it leaves its keeper behind, which may not have begun yet
    took += harness.until(lambda: not harness.marked(mark), END_SECONDS, 'the keeper gone')
    turns.number += 1
    turns.slowest = max(turns.slowest, took)


def is_over(process):
    """It has ended, or is about to: its threads vanish before that can be waited for."""
    try:
        return process.poll() is not None or not executable_mappings(process.pid)
    except OSError:
        return True


def disturb(process, module, turns, is_idle=lambda: False):
    """Turns until the process ends or idles, or the time is over."""
    before = settled_text(process)
    while before and turns.are_left() and not is_over(process) and not is_idle():
        turn(process, module, turns)
        try:
            check_free(process.pid, before)
        except (OSError, harness.Failure):
            if not is_over(process):
                raise


def settled_text(process):
    """Its text once the loader has mapped everything; None: it ended before."""
    try:
        last = None
        while last != (last := executable_mappings(process.pid)):
            time.sleep(0.1)  # in which the loader would map more
        return text_of(process.pid)
    except OSError:
        return None


def ends(command, module, is_told=lambda line: True, env=None):
    """Lines that is_told() takes, and the status, are as those of an untraced run."""
    env = dict(os.environ, LC_ALL='C', **(env or {}))

    def outcome(disturbed):
        with tempfile.TemporaryFile('w+') as out, subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                env=env, start_new_session=True) as process:
            try:
                if disturbed:
                    disturb(process, module, turns)
                process.wait(WORK_SECONDS)
            finally:
                process.kill()
            return process.returncode, [
                line for line in harness.content(out).splitlines() if is_told(line)]

    alone = outcome(False)
    turns, runs = Turns(), 0
    while turns.are_left():
        found = outcome(True)
        harness.check(found == alone, 'STRESS_SEED=%d: it ended with %s: %s\ninstead of %s: %s',
                      SEED, found[0], '\n'.join(found[1])[-2000:], alone[0],
                      '\n'.join(alone[1])[-2000:])
        runs += 1
    harness.check(turns.number > 0, 'it always ended before it could be traced')
    return '%d runs, %s' % (runs, turns)


def script(interpreter, name, text, module='a.out'):
    with tempfile.TemporaryDirectory() as folder:
        return ends([*interpreter, world.script(folder, name, text)], module)


def python(module):
    return script(['/usr/bin/python3', '-I', '-S', '-B'], 'script.py', PYTHON, module)


def sqlite():
    with tempfile.TemporaryDirectory() as folder:
        path = world.script(folder, 'statements.sql', SQL)
        return ends([harness.installed('sqlite3'), '-batch', '-init', path, ':memory:', '.quit'],
                    'libsqlite3.so.0')


def compiler():
    cc1 = subprocess.run(['gcc', '-print-prog-name=cc1'], stdout=subprocess.PIPE, text=True,
                         check=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        return ends([cc1, '-quiet', '-O1', world.script(folder, 'sums.c', C), '-o',
                     '/dev/stdout'], 'a.out')


def redis():
    """The server under load: that ends well, and so does the server."""
    turns = Turns()
    with tempfile.TemporaryDirectory() as folder, world.Redis(folder) as server:
        while turns.are_left():
            with subprocess.Popen(
                    [harness.installed('redis-benchmark'), '-s', server.socket, '-q', '-n', '3000',
                     '-c', '20', '-t', 'set,get,lpush,lrange_100,zadd'],
                    stdout=subprocess.DEVNULL) as load:
                disturb(server.process, 'a.out', turns, lambda: load.poll() is not None)
                status = load.wait(WORK_SECONDS)
            harness.check(status == 0, 'the benchmark ended with %d', status)
        server.ask('shutdown', 'nosave')
        harness.check(server.process.wait(10) == 0, 'status %d', server.process.returncode)
    return str(turns)


def target(name, times, module='a.out', **kwargs):
    return lambda: ends([harness.target(name)], module, env={'TIMES': str(times)}, **kwargs)


CASES = {'lua': lambda: script([harness.installed('lua5.4')], 'script.lua', LUA),
         'python': lambda: python('a.out'), 'libc': lambda: python('libc.so.6'),
         'sqlite': sqlite, 'redis': redis, 'compiler': compiler,
         'exceptions': target('throwing', 1000), 'stdcxx': target('throwing', 1000, 'libstdc*'),
         'longjmp': target('jump', 10000), 'coroutines': target('context', 3000),
         'panics': target('panics', 1000), 'goroutines': target('goroutines', 150),
         # how often it is called before the alarms have come is never the same
         'signals': target('alarm', 5, is_told=lambda line: line.startswith('on_user'))}

harness.main(CASES)
