#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Output for other programs (-O): read back by Python's json and csv modules and by jq,
whatever strings hold."""
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402

# what a record says of its firing, where it is the same in all runs
BEGIN = {'id': 1, 'provider': 'dtrace', 'module': '', 'function': '', 'name': 'BEGIN'}
# a quote, a comma, a newline, controls, backslashes, invalid and valid UTF-8
HOSTILE = b'a"b,c\n\x1b[2J\x7f\xff\xc0\xaf\xed\xa0\x80\\x41\\\\\xc3\xa9\xe2\x82'


def unescaped(text):
    """The bytes that a string of the output stands for, as the manual says."""
    return re.sub(rb'\\x([0-9a-f]{2})', lambda m: bytes([int(m.group(1), 16)]), text.encode())


def literal(data):
    """A D string."""
    return '"%s"' % ''.join('\\%03o' % byte for byte in data)


def output(form, program, options=(), command=None, env=None):
    """What is written with -O, as bytes, and the result of the run."""
    with tempfile.TemporaryDirectory(prefix='formats-') as folder:
        data = os.path.join(folder, 'data')
        words = [harness.DTRACE, '-O', form, '-o', data, *options, '-n', program]
        result = harness.run(words + (['-c', command] if command else []), env=env)
        harness.check(result.status == 0, '%s', result)
        with open(data, 'rb') as f:
            return f.read(), result


def objects(program, **kwargs):
    """The objects after the first, which only has times."""
    data, result = output('json', program, **kwargs)
    lines = data.decode('ascii').split('\n')
    harness.check(lines.pop() == '', 'the last line has no end')
    found = [json.loads(line) for line in lines]
    harness.check(sorted(found[0]) == ['schema', 'timestamp', 'type', 'walltimestamp'] and
                  found[0]['type'] == 'begin' and found[0]['schema'] == 1, '%s', found[0])
    by_jq = subprocess.run([harness.installed('jq'), '-c', '.'], input=data, check=True,
                           stdout=subprocess.PIPE).stdout.decode()
    # jq 1.6 rounds large numbers; all else it must read as Python does
    harness.check([json.loads(line, parse_int=float) for line in by_jq.splitlines()] ==
                  [json.loads(line, parse_int=float) for line in lines],
                  'jq reads something else')
    return found[1:], result


def same(actual, expected):
    harness.check(actual == expected, 'got\n%s\ninstead of\n%s', actual, expected)


ACTIONS = '''BEGIN {
    trace((int)-3); trace((uint64_t)-1); trace("text");
    printf("%d %s|%5x\\n", -1, "one", 255); print((short)5); stack(); exit(4 - 4);
}'''


def json_records():
    """The values of each action of a record, with their types."""
    found, _ = objects(ACTIONS)
    harness.check(len(found) == 1, '%s', found)
    for name in ('timestamp', 'cpu', 'pid', 'tid'):
        harness.check(isinstance(found[0].pop(name), int), 'no %s', name)
    same(found, [dict(BEGIN, type='record', actions=[
        {'action': 'trace', 'value': -3},
        {'action': 'trace', 'value': '18446744073709551615'},
        {'action': 'trace', 'value': 'text'},
        {'action': 'printf', 'text': '-1 one|   ff\n', 'values': [-1, 'one', 255]},
        {'action': 'print', 'text': 'short 0x5\n', 'type': 'short', 'value': 5},
        {'action': 'stack', 'value': []}])])


AGGREGATIONS = '''BEGIN {
    @ = count(); @s["k", (char)-1] = sum(-5); @min = min(7); @max[1] = max(9); @avg = avg(4);
    @avg = avg(7); @d = stddev(3); @n = sum(1000); normalize(@n, 10);
    @q = quantize(0); @q = quantize(5, 3); @q = quantize(-6); @q = quantize(1LL << 62);
    @q = quantize(-1LL << 62);
    @l = lquantize(-1, 0, 10, 5); @l = lquantize(5, 0, 10, 5); @l = lquantize(10, 0, 10, 5);
    @ll = llquantize(1, 10, 1, 2, 10); @ll = llquantize(25, 10, 1, 2, 10);
    @ll = llquantize(1000, 10, 1, 2, 10); exit(0); }'''
EXPECTED = [
    ('_', 'count', [], 1), ('s', 'sum', ['k', -1], -5), ('min', 'min', [], 7),
    ('max', 'max', [1], 9), ('avg', 'avg', [], 5), ('d', 'stddev', [], 0),
    ('n', 'sum', [], 100),
    ('q', 'quantize', [], [[-2**63 + 1, -2**62, 1], [-7, -4, 1], [0, 0, 1], [4, 7, 3],
                           [2**62, None, 1]]),
    ('l', 'lquantize', [], [[None, -1, 1], [5, 9, 1], [10, None, 1]]),
    ('ll', 'llquantize', [], [[None, 9, 1], [20, 29, 1], [1000, None, 1]]),
]


def json_aggregations():
    """All functions, keys with their types, bounds of buckets."""
    found, _ = objects(AGGREGATIONS)
    rows = [one for one in found if one['type'] == 'aggregation']
    for row in rows:
        harness.check(row['timestamp'] > 0, '%s', row)
    got = [(row['name'], row['function'], row['keys'],
            row['value'] if 'value' in row else
            [[b['min'], b['max'], b['count']] for b in row['buckets']]) for row in rows]
    expected = [row[:3] + ([b if b[0] != -2**63 + 1 else [None] + b[1:] for b in row[3]]
                           if isinstance(row[3], list) else row[3],) for row in EXPECTED]
    same(got, expected)


def json_listings():
    """A printa() has the time of its record; a format changes nothing."""
    found, _ = objects('BEGIN { @a[1] = count(); @b[1] = sum(2); @b[2] = sum(3); '
                       'printa("%d %@d %@d\\n", @a, @b); printa(@a); exit(0); }')
    rows = [(one['name'], one['keys'], one['value']) for one in found[:-1]]
    same(rows, [('b', [2], 3), ('a', [1], 1), ('b', [1], 2), ('a', [1], 1)])
    same({one['timestamp'] for one in found[:-1]}, {found[-1]['timestamp']})


def json_hostile():
    """Any bytes are valid JSON, in ASCII, and can be had back."""
    every = bytes(range(1, 256))
    for data in (HOSTILE, every, every[::-1]):
        found, _ = objects('BEGIN { trace(%s); @[%s] = count(); printf("%%s", %s); exit(0); }' %
                           (literal(data), literal(data), literal(data)),
                           options=['-x', 'strsize=1k'])
        traced, printed = found[0]['actions']
        for text in (traced['value'], printed['text'], printed['values'][0],
                     found[1]['keys'][0]):
            same(unescaped(text), data)


def named_hostile(folder):
    """A program of a hostile name."""
    path = os.path.join(folder.encode(), b'p"q,\xff\xc3\xa9\x1b\\x')
    shutil.copy(harness.target('once'), path)
    return os.fsdecode(path)


def json_names():
    """Names of modules and processes, which the target chooses."""
    with tempfile.TemporaryDirectory() as folder:
        path = named_hostile(folder)
        found, _ = objects('pid$target:a.out:f:entry { @[probemod, execname] = count(); '
                           '@s[ustack(1)] = count(); } '
                           'pid$target:a.out:main:entry { trace(execname); }',
                           command="'%s'" % path)
        name = os.path.basename(os.fsencode(path))
        record, = [one for one in found if one['type'] == 'record']
        rows = {one['name']: one for one in found if one['type'] == 'aggregation'}
        for text in (record['module'], record['actions'][0]['value'], *rows['_']['keys'],
                     rows['s']['keys'][0][0]['module']):
            same(unescaped(text), name)
        same(rows['s']['keys'][0][0]['function'], 'f')
        same(rows['s']['value'], rows['_']['value'])


def json_messages():
    """Faults, drops and notices are objects, and are on stderr as always."""
    found, result = objects('BEGIN { trace(*(int *)16); } '
                            'BEGIN { a = speculation(); b = speculation(); } '
                            'pid$target:a.out:main:entry { trace(pid); }',
                            command=harness.target('once'))
    error, = [one for one in found if one['type'] == 'error']
    same([error[name] for name in ('fault', 'address', 'statement', 'name', 'provider')],
         ['invalid address', '0x10', 1, 'BEGIN', 'dtrace'])
    drop, = [one for one in found if one['type'] == 'drop']
    same([drop[name] for name in ('kind', 'count')], ['SPECUNAVAIL', 1])
    record, = [one for one in found if one['type'] == 'record']
    same(record['actions'], [{'action': 'trace', 'value': record['pid']}])
    notices = [one['text'] for one in found if one['type'] == 'notice']
    harness.check('pid %d has exited' % record['pid'] in notices, '%s', notices)
    for text in [error['text'], drop['text'], *notices]:
        harness.check('dtrace: %s\n' % text in result.err, '%r is not on stderr', text)


def json_program():
    """Counts and frames of a program."""
    path = harness.target('plain')
    found, result = objects('fpid$target:a.out::entry { @[probefunc] = count(); '
                            '@s[ustack()] = count(); }',
                            command=path)
    calls, _ = harness.truth(result.out)
    rows = [one for one in found if one['type'] == 'aggregation']
    harness.same_counts(calls, {one['keys'][0]: one['value'] for one in rows
                                if one['name'] == '_'}, 'entries')
    stacks = {}
    for one in rows:
        if one['name'] != 's':
            continue
        frames = one['keys'][0]
        harness.check(all(re.fullmatch('0x[0-9a-f]+', f['address']) for f in frames) and
                      frames[0]['offset'] == 0 and frames[0]['module'] == 'plain', '%s', frames)
        inner = frames[0]['function']
        harness.check(inner in ('main', '_start') or inner not in calls or
                      any(f['function'] == 'main' for f in frames[1:]), '%s', frames)
        stacks[inner] = stacks.get(inner, 0) + one['value']
    harness.same_counts(calls, stacks, 'stacks')


def tables(program, **kwargs):
    """The tables of a CSV output: lists of dicts."""
    data, result = output('csv', program, **kwargs)
    controls = [byte for byte in data if byte < 0x20 and byte not in b'\n\t' or byte == 0x7f]
    harness.check(not controls, 'control characters %s', controls)
    found, header = [], None
    for row in csv.reader(io.StringIO(data.decode('utf-8'), newline=''), strict=True):
        if not row:
            header = None
        elif header is None:
            header = row
            found.append([])
        else:
            harness.check(len(row) == len(header), '%s has not the columns %s', row, header)
            found[-1].append(dict(zip(header, row)))
    return found, result


def csv_records():
    """A row for each action; a record without any is one as well."""
    (rows,), _ = tables('BEGIN {} ' + ACTIONS)
    same([(row['provider'], row['name'], row['id'], row['action'], row['value'])
          for row in rows],
         [('dtrace', 'BEGIN', '1', action, value) for action, value in (
             ('', ''), ('trace', '-3'), ('trace', '18446744073709551615'), ('trace', 'text'),
             ('printf', '-1 one|   ff\n'), ('print', 'short 0x5\n'), ('stack', ''))])
    harness.check(all(int(row['timestamp']) > 0 and int(row['pid']) > 0 for row in rows),
                  '%s', rows)


def csv_aggregations():
    """A header for each aggregation; buckets are rows."""
    found, _ = tables(AGGREGATIONS)
    same([row['action'] for row in found.pop(0)], [''])
    got = []
    for rows in found:
        first = rows[0]
        keys = [value for name, value in first.items() if name.startswith('key')]
        values = [[row['min'], row['max'], row['count']] for row in rows] \
            if 'count' in first else first['value']
        got.append((first['aggregation'], first['function'], keys, values))

    def text(value):
        return '' if value is None or value == -2**63 + 1 else str(value)
    same(got, [(name, function, [text(key) for key in keys],
                [[text(part) for part in b] for b in value] if isinstance(value, list)
                else text(value)) for name, function, keys, value in EXPECTED])


def csv_hostile():
    every = bytes(range(1, 256))
    for data in (HOSTILE, every, every[::-1]):
        found, _ = tables('BEGIN { trace(%s); @[%s, 1] = count(); exit(0); }' %
                          (literal(data), literal(data)), options=['-x', 'strsize=1k'])
        (record,), (row,) = found
        same(unescaped(record['value']), data)
        same(unescaped(row['key1']), data)
        same((row['key2'], row['value']), ('1', '1'))


def csv_stacks():
    found, _ = tables('pid$target:a.out:f:entry { @[ustack(2)] = count(); '
                      '@b[usym(uregs[R_RIP])] = count(); }', command=harness.target('once'))
    (stack,), (symbol,) = found
    harness.check(re.fullmatch(r'once`f;once`main\+0x[0-9a-f]+', stack['key1']), '%s', stack)
    same((symbol['key1'], symbol['value'], stack['value']), ('once`f', '1', '1'))


# by aggtop the row of the smallest value is not shown, but has its share
SHARES = '''BEGIN {
    @s["a"] = sum(1); @s["b"] = sum(3); @s["c"] = sum(4); @n = sum(-1); @m["a"] = max(3);
    @q = quantize(1); printa(@s); exit(0);
}'''
SHARED = ['-x', 'aggshare', '-x', 'aggtop=2']


def shares():
    """With aggshare the rows that have a share show it, as JSON and as CSV."""
    found, _ = objects(SHARES, options=SHARED)
    same([(one['name'], one.get('value'), one.get('share', 'none')) for one in found
          if one['type'] == 'aggregation'],
         [('s', 3, 37.5), ('s', 4, 50), ('n', -1, 'none'), ('m', 3, 'none'),
          ('q', None, 'none')])
    found, _ = tables(SHARES, options=SHARED)
    same([[row.get('share', 'none') for row in table] for table in found],
         [['37.5', '50'], ['none'], [''], ['none'], ['none']])
    found, _ = objects(SHARES)
    harness.check(not any('share' in one for one in found), '%s', found)


def decimal_comma():
    """Where a comma is the decimal point, numbers are the same."""
    localedef = harness.installed('localedef')
    with tempfile.TemporaryDirectory(prefix='formats-locale-') as folder:
        made = subprocess.run([localedef, '--no-archive', '-i', 'de_DE', '-f', 'UTF-8',
                               os.path.join(folder, 'de_DE.UTF-8')], capture_output=True,
                              text=True, check=False)
        if made.returncode:
            raise harness.Skipped('no locale with a decimal comma: ' + made.stderr.strip())
        # the C library does not free what it makes of LOCPATH
        env = dict(os.environ, LOCPATH=folder, LC_ALL='de_DE.UTF-8',
                   ASAN_OPTIONS='detect_leaks=0')
        comma = subprocess.run(['/usr/bin/printf', '%.1f', '0'], env=env, capture_output=True,
                               text=True, check=True).stdout
        same(comma, '0,0')
        found, _ = objects(SHARES, options=SHARED, env=env)
        same([row['share'] for row in found if 'share' in row], [37.5, 50])
        found, _ = tables(SHARES, options=SHARED, env=env)
        same([row['share'] for row in found[0]], ['37.5', '50'])
        result = harness.run([harness.DTRACE, '-O', 'json', '-q', '-n',
                              'pid$target:a.out:third:return { print(args[1]); }',
                              '-c', harness.target('relay')], env=env)
        printed = [json.loads(line) for line in result.out.splitlines() if '"print"' in line]
        same([action['value'] for one in printed for action in one['actions']], [2.25])


def folded():
    """A line for each stack and for each row of numbers; nothing else, whatever is in them."""
    program = '''BEGIN { @c["x;y", -1, 7] = count(); @plain = sum(-3); @q["z"] = quantize(1);
        @[%s] = count(); trace("no stack"); printf("nor this"); }
        fpid$target:a.out:f:entry { @s[ustack(2)] = count(); @t["k", ustack(1)] = sum(-9);
            ustack(2); }''' % literal(HOSTILE)
    data, result = output('folded', program, command=harness.target('once'))
    lines = data.decode('utf-8').split('\n')
    harness.check(lines.pop() == '', 'the last line has no end')
    same(sorted(lines), [
        r'a"b,c\x0a\x1b[2J\x7f\xff\xc0\xaf\xed\xa0\x80\x41\\' + '\u00e9' + r'\xe2\x82 1',
        'k;once`f -9', 'once`main;once`f 1', 'once`main;once`f 1', 'x,y;-1;7 1'])
    harness.check('nor this' not in result.out and 'nor this' not in result.err, '%s', result)


CASES = {case.__name__: case for case in (
    json_records, json_aggregations, json_listings, json_hostile, json_names, json_messages,
    json_program, csv_records, csv_aggregations, csv_hostile, csv_stacks, shares,
    decimal_comma, folded)}

harness.main(CASES)
