#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--diff: two outputs, and a program on two recordings, side by side."""
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402

FIRST = r'''
BEGIN {
	@["same"] = count(); @["gone"] = count();
	@much = sum(10);
	@low[1, "a\tb"] = min(-5);
	@q["k"] = quantize(3); @q["k"] = quantize(100);
	exit(0);
}'''
SECOND = r'''
BEGIN {
	@["same"] = count(); @["new"] = count(); @["new"] = count();
	@much = sum(9000);
	@low[1, "a\tb"] = min(-6); printa(@low); @low[1, "a\tb"] = min(-7);
	@q["k"] = quantize(3); @q["k"] = quantize(3); @q["l"] = quantize(0);
	exit(0);
}'''
TABLE = r'''@, count
                A                B           CHANGE
                -                2               +2  "new"
                1                -               -1  "gone"
                1                1                0  "same"

@low, min
                A                B           CHANGE
               -5               -7               -2  1,"a\tb"

@much, sum
                A                B           CHANGE
               10             9000            +8990

@q, quantize
                A                B           CHANGE
                                                      "k"
                1                2               +1  2
                1                -               -1  64
                                                      "l"
                -                1               +1  0
'''


def folder():
    return tempfile.TemporaryDirectory(prefix='dtrace-diff.')


def diff(*words):
    return harness.run([harness.DTRACE, '--diff', *words])


def lines(text):
    return [line.rstrip() for line in text.splitlines()]


def outputs():
    """Each kind of row; of values those that changed most stand first."""
    with folder() as place:
        paths = [os.path.join(place, name) for name in 'ab']
        for path, program in zip(paths, (FIRST, SECOND)):
            done = harness.run([harness.DTRACE, '-qO', 'json', '-o', path, '-n', program])
            harness.check(done.status == 0, 'the run: %s', done)
        done = diff(*paths)
        harness.check(done.status == 0 and lines(done.out) == lines(TABLE), 'the table: %s', done)


def recordings():
    """The program runs on each of them."""
    with folder() as place:
        paths = [os.path.join(place, name) for name in 'ab']
        seen = []
        for path, target in zip(paths, ('plain', 'once')):
            done = harness.run([harness.DTRACE, '-qE', path, '-n', 'fpid$target:a.out::entry {}',
                                '-c', harness.target(target)])
            harness.check(done.status == 0, 'the recording: %s', done)
            again = harness.run([harness.DTRACE, '-qE', path, '-n',
                                 'fpid$target:a.out::entry {@ = count();}'])
            seen.append(int(again.out))
        done = diff(*paths, '-n', 'fpid$target:a.out::entry {@ = count();}')
        harness.check(done.status == 0 and done.out.split()[-3:] ==
                      [str(seen[0]), str(seen[1]), '%+d' % (seen[1] - seen[0])],
                      'wanted %s: %s', seen, done)
        done = diff(*paths, '-n', 'fpid$target:a.out:nowhere:entry {}')
        harness.check(done.status == 1 and 'does not match any probes' in done.err and
                      not done.out, 'no such probe: %s', done)


def written():
    """-o has the table; a character that ends strings in C ends no line."""
    rows = r'{"type":"record","actions":[{"text":"\u0000|x"}]}' '\n' + \
        '{"type":"aggregation","name":"x","function":"count","keys":["a"],"value":%d}\n'
    with folder() as place:
        paths = [os.path.join(place, name) for name in 'ab']
        out = os.path.join(place, 'out')
        for number, path in enumerate(paths):
            with open(path, 'w', encoding='utf-8') as f:
                f.write(rows % number)
        for _ in range(2):
            done = diff(*paths, '-o', out)
            harness.check(done.status == 0 and not done.out, 'the table: %s', done)
        with open(out, encoding='utf-8') as f:
            harness.check(f.read().count('0                1               +1  "a"\n') == 2,
                          'the file')
        for path in paths:
            harness.run([harness.DTRACE, '-qE', path + '.data', '-n',
                         'fpid$target:a.out:alpha:entry {}', '-c', harness.target('plain')])
        data = [path + '.data' for path in paths]
        program = 'fpid$target:a.out:alpha:entry {@[1] = count();}'
        done = diff(*data, '-o', out + '2', '-n', program)
        with open(out + '2', encoding='utf-8') as f:
            harness.check(done.status == 0 and f.read().startswith('@, count\n'), '%s', done)
        done = diff(*data, '-n', program + 'END {exit(3);}')
        harness.check(done.status == 1 and not done.out and
                      'a.data: its run has ended with status 3\n' in done.err, '%s', done)


def cleared():
    """Of a histogram printed several times the last counts, with the buckets that it has."""
    def row(name, *buckets):
        listed = [{'min': low, 'max': 2 * low - 1, 'count': 1} for low in buckets]
        return json.dumps({'type': 'aggregation', 'name': name, 'function': 'quantize',
                           'keys': [], 'buckets': listed}) + '\n'
    with folder() as place:
        paths = [os.path.join(place, name) for name in 'ab']
        for path, last in zip(paths, (64, 2)):
            with open(path, 'w', encoding='utf-8') as f:
                f.write(row('a', 2, 4) + row('b', 1, 8) + row('a', last) + row('b'))
        done = diff(*paths)
        harness.check([line.split() for line in done.out.splitlines()] ==
                      [['@a,', 'quantize'], ['A', 'B', 'CHANGE'], ['-', '1', '+1', '2'],
                       ['1', '-', '-1', '64']], 'the table: %s', done)


def flame():
    """Of two recordings the stacks, as a flame graph that is coloured by what changed."""
    program = 'fpid$target:a.out:alpha:entry {@[ustack(3)] = count();}'
    with folder() as place:
        paths = [os.path.join(place, name) for name in 'ab']
        picture = os.path.join(place, 'svg')
        for path, target in zip(paths, ('plain', 'plain_O0')):
            harness.run([harness.DTRACE, '-qE', path, '-n', program, '-c', harness.target(target)])
        done = diff(*paths, '--flame', picture, '-n', program)
        harness.check(done.status == 0 and '@, count' in done.out, 'the table: %s', done)
        with open(picture, encoding='utf-8') as f:
            drawn = f.read()
        harness.run([harness.DTRACE, '-qO', 'folded', '-o', picture + '.base', '-E', paths[0], '-n',
                     program])
        harness.run([harness.DTRACE, '-q', '--flame', picture + '2', '--flame-base',
                     picture + '.base', '-E', paths[1], '-n', program])
        with open(picture + '2', encoding='utf-8') as f:
            harness.check(drawn == f.read() and 'alpha' in drawn, 'the picture:\n%s', drawn)
        os.unlink(picture)
        for path in paths:
            harness.run([harness.DTRACE, '-qO', 'json', '-o', path + '.json', '-E', path, '-n', program])
        done = diff(*(path + '.json' for path in paths), '--flame', picture)
        with open(picture, encoding='utf-8') as f:
            harness.check(done.status == 0 and drawn == f.read(), 'of saved outputs: %s', done)


def stacks():
    """Keys beside the stacks, frames without names, and what has no stack."""
    def row(keys, value, name='s', function='sum'):
        return json.dumps({'type': 'aggregation', 'name': name, 'function': function, 'keys': keys,
                           'value': value}) + '\n'
    leaf = {'module': 'm', 'function': 'leaf;<x>', 'offset': 4, 'address': '0x4'}
    root = {'module': 'm', 'function': 'root', 'offset': 1, 'address': '0x1'}
    with folder() as place:
        a, b, none, picture = (os.path.join(place, name) for name in ('a', 'b', 'none', 'svg'))
        for path, text in (
                (a, row(['k'], 7, 'q', 'count') + row([[leaf, root], 'k'], 1) + row([[root], 'k'], 1)),
                (b, row([[leaf, root], 'k'], 6) + row([[root], 'k'], 8) + row([[root], 'k'], 2) +
                 row([[{'address': '0x77'}], 'k'], 3) + row([[], 'k'], 1) + row([[root], 'l'], -5) +
                 row([[{'function': 'f', 'file': 'x.py', 'line': 3}, root], 9], 4)),
                (none, row(['k'], 7, 'q', 'count'))):
            with open(path, 'w', encoding='utf-8') as f:
                f.write(text)
        done = diff(a, b, '--flame', picture)
        with open(picture, encoding='utf-8') as f:
            drawn = f.read()
        found = {(n, int(v), int(w)) for n, v, w in
                 re.findall(r'data-n="([^"]*)" data-v="(\d+)" data-b="(\d+)"', drawn)}
        expected = {('k', 12, 2), ('m`root', 8, 2), ('m`leaf,&lt;x&gt;', 6, 1), ('0x77', 3, 0),
                    ('[no stack]', 1, 0), ('9', 4, 0), ('m`root', 4, 0), ('f (x.py:3)', 4, 0)}
        harness.check(done.status == 0 and expected <= found and 'Stacks of @s: red' in drawn and
                      'data-unit="summed"' in drawn, '%s\n%s', done, found)
        for words, wanted in (((a, none), 'none: it has no stacks for --flame'),
                              ((none, none), 'an aggregation of count() or sum() with a stack')):
            done = diff(*words, '--flame', picture)
            harness.check(done.status == 1 and wanted in done.err, '%s: %s', wanted, done)
        done = diff(a, b, '--flame', place)
        harness.check(done.status == 1 and "cannot open '%s'" % place in done.err, '%s', done)


def refused():
    """What is none of the two is named, with its line."""
    with folder() as place:
        good, bad, empty = (os.path.join(place, name) for name in ('good', 'bad', 'empty'))
        pipe = os.path.join(place, 'pipe')
        os.mkfifo(pipe)
        row = '{"type":"aggregation","name":"x","function":"count","keys":[],"value":1}\n'
        for path, text in ((good, row), (bad, row + '{"type":"aggregation","name":"x"}\n'),
                           (empty, '')):
            with open(path, 'w', encoding='utf-8') as f:
                f.write(text)
        for words, wanted in (((good, bad), 'bad: line 2 is not one of -O json'),
                              ((empty, good), 'empty: it is empty'),
                              ((good, place + '/none'), 'none: No such file or directory'),
                              ((good, '/bin/true'), 'it is not of -O json; a recording needs '),
                              ((good, place), 'it is not a regular file'),
                              ((pipe, good), 'pipe: it is not a regular file'),
                              ((good,), 'give two files, and neither -c nor -p'),
                              ((good, good, '-c', 'true'), 'give two files, and neither')):
            done = diff(*words)
            harness.check(done.status == 1 and wanted in done.err and not done.out,
                          '%s: %s', wanted, done)


harness.main({'outputs': outputs, 'recordings': recordings, 'written': written,
              'cleared': cleared, 'flame': flame, 'stacks': stacks, 'refused': refused})
