#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Debian's own programs, with every function of their libraries enabled, run as ever."""
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
import ready  # noqa: E402

SQL = '''
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
  INSERT INTO t SELECT i, 'row ' || (i * 7919 % 97), i / 8.0 FROM n;
CREATE INDEX tb ON t(b);
SELECT count(*), sum(a), round(avg(c), 4), group_concat(b, ',') FROM t WHERE b LIKE 'row %5';
SELECT b, a FROM t ORDER BY b DESC LIMIT 3;
UPDATE t SET b = upper(b) WHERE a % 10 = 0;
DELETE FROM t WHERE a > 30;
SELECT max(b), count(*) FROM t;
SELECT nosuch FROM t;
'''

PYTHON = '''
import json, re, sqlite3, sys
words = re.findall(r"[a-z]+", "the quick brown fox jumps over the lazy dog" * 3)
print(json.dumps(sorted(set(words)), indent=1))
print(sum(i * i for i in range(500)), "%.6f" % (2 ** 0.5))
db = sqlite3.connect(":memory:")
db.execute("create table t(a)")
db.executemany("insert into t values (?)", [(i,) for i in range(20)])
print(db.execute("select sum(a) from t").fetchone())
try:
    {}["x"]
except KeyError as e:
    print("caught", e)
sys.exit(5)
'''

LIBRARIES = ('pid$target:libsqlite3::entry, pid$target:libc::entry '
             '{@[probemod, probefunc] = count();}')


def library_counts(data):
    return {(m.group(1), m.group(2)): int(m.group(3)) for m in re.finditer(
        r'^  (\S+) +(\S.*?) +(\d+)$', data, re.M)}


def with_libraries(command, stable, **kwargs):
    """Runs twice under all probes of both libraries; output and status as untraced,
    the counts of the named functions equal in both runs."""
    alone = harness.run(command.split(), **kwargs)
    results = [harness.traced(LIBRARIES, command, ['-Z'], timeout=150, **kwargs)
               for _ in range(2)]
    seen = []
    for result in results:
        harness.check(result.out == alone.out, 'the program printed\n%s\ninstead of\n%s',
                      result.out, alone.out)
        theirs = [line for line in result.err.splitlines() if not line.startswith('dtrace: ')]
        harness.check(theirs == alone.err.splitlines(), 'it complained: %s', theirs)
        harness.check(harness.target_status(result) == alone.status, '%s', result)
        seen.append(library_counts(result.data))
    first, second = seen
    functions = {f for f in first if f[1] in stable}
    missing = set(stable) - {f[1] for f in functions}
    harness.check(not missing, 'never seen: %s', sorted(missing))
    differ = {f: (first[f], second.get(f)) for f in functions if first[f] != second.get(f)}
    harness.check(not differ, 'counts differ between two runs: %s', differ)
    return '%d functions, %d calls' % (len(first), sum(first.values()))


def sqlite3():
    """The statements of SQL, of which sqlite3_prepare sees each."""
    with tempfile.NamedTemporaryFile('w', suffix='.sql') as sql:
        sql.write(SQL)
        sql.flush()
        return with_libraries(harness.installed('sqlite3') + ' -batch :memory:', {
            'sqlite3_step', 'sqlite3_finalize', 'sqlite3_prepare_v2', 'sqlite3_column_text',
            'sqlite3_free'}, stdin=sql.name)


HEAP = ('pid$target:%s:malloc:entry, pid$target:%s:free:entry '
        '{ @[probefunc] = quantize(arg0); @n[probefunc] = count(); } '
        'END { printf("\\n"); printa("N %%s %%@d\\n", @n); }')


def heap(where, command, **kwargs):
    """malloc and free, hooked in the program that lives by them: as untraced, and as
    many values in the histograms as calls were counted."""
    alone = harness.run(command, **kwargs)
    result = harness.traced(HEAP % (where, where), ' '.join(command), **kwargs)
    harness.check(result.out == alone.out, 'the program printed\n%s\ninstead of\n%s',
                  result.out, alone.out)
    harness.check(harness.target_status(result) == harness.status_name(alone.status),
                  '%s', result)
    calls = harness.tagged(result.data, 'N')
    for function in ('malloc', 'free'):
        block = re.search(r'^  %s +\n(.*?)\n\n' % function, result.data, re.M | re.S)
        harness.check(block, 'no histogram of %s:\n%s', function, result.data)
        values = sum(int(n) for n in re.findall(r' \|@* +(\d+) *$', block.group(1), re.M))
        harness.check(values == calls[function] > 0, '%s: %d values of %d calls', function,
                      values, calls[function])
    return 'malloc %d, free %d' % (calls['malloc'], calls['free'])


def heap_sqlite3():
    with tempfile.NamedTemporaryFile('w', suffix='.sql') as sql:
        sql.write(SQL)
        sql.flush()
        return heap('libc', [harness.installed('sqlite3'), '-batch', ':memory:'], stdin=sql.name)


def heap_threads():
    return heap('a.out', [harness.target('threads_static')])


def python3():
    """libsqlite3 comes by dlopen; malloc and its kin are called at all times."""
    with tempfile.NamedTemporaryFile('w', suffix='.py') as script:
        script.write(PYTHON)
        script.flush()
        return with_libraries('/usr/bin/python3 -I -S -B ' + script.name, {
            'sqlite3_step', 'sqlite3_finalize', 'sqlite3_bind_int64', 'sqlite3_close_v2'},
            env={'PYTHONHASHSEED': '0'})


def executable_text(pid):
    """{(start, name): bytes} of a process's executable mappings."""
    text = {}
    with open('/proc/%d/maps' % pid, encoding='utf-8') as maps, \
            open('/proc/%d/mem' % pid, 'rb', buffering=0) as memory:
        for line in maps:
            fields = line.split()
            if 'x' in fields[1] and not fields[-1].startswith('[v'):
                start, end = (int(a, 16) for a in fields[0].split('-'))
                memory.seek(start)
                text[start, fields[-1]] = memory.read(end - start)
    return text


def cc1():
    """All functions of the C compiler on and off again, while it waits for its input;
    then it must translate as if nothing had been."""
    path = subprocess.run(['gcc', '-print-prog-name=cc1'], capture_output=True, text=True,
                          check=True).stdout.strip()
    command = [path, '-quiet', '-O2', '-o', '-', '-']
    source = b'int f(int x) { int s = 0; while (x--) s += x * x; return s; }\n'
    alone = subprocess.run(command, input=source, capture_output=True, check=True).stdout
    p = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         start_new_session=True)
    try:
        harness.until(lambda: ready.waits_for_input(p.pid), 10, 'cc1 waits')
        before = executable_text(p.pid)
        times = {}
        # exit() in a tick: in BEGIN it would come before any breakpoint is set
        for what, program in (('attach', 'tick-1000 { exit(0); }'),
                              ('all', 'pid$target:a.out::entry { @ = count(); } '
                                      'tick-1000 { exit(0); }')):
            start = time.monotonic()
            result = harness.run([harness.DTRACE, '-n', program, '-p', str(p.pid)], timeout=120)
            times[what] = time.monotonic() - start
            harness.check(result.status == 0, '%s', result)
        functions = harness.matched(result) - 1
        harness.check(functions > 10000, 'only %d functions', functions)
        harness.check(executable_text(p.pid) == before, 'the text of cc1 is not as before')
        assembly, _ = p.communicate(source, 60)
    finally:
        p.kill()
        p.wait()
    harness.check(p.returncode == 0 and assembly == alone, 'cc1 ended with %d and printed\n%s',
                  p.returncode, assembly.decode(errors='replace'))
    return '%d functions on and off in %.2f s (attaching alone: %.2f s)' % (
        functions, times['all'], times['attach'])


if __name__ == '__main__':
    harness.main({'sqlite3': sqlite3, 'python3': python3, 'cc1': cc1,
                  'heap_sqlite3': heap_sqlite3, 'heap_threads': heap_threads})
