#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Flame graphs: what is in the file, whatever the names are; what changed since a run;
what is refused. Timelines: entries and returns that nest. Heat maps: each count is in one
interval, whatever printa() and clear() do. Profiles: read back by Go's pprof, and by a
decoder of protobuf's wire format."""
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402

SVG = '{http://www.w3.org/2000/svg}'
HOSTILE = r'<script>alert(1)</script>]]>\"\'&\001\033[2J\303\251\377;x'
SHOWN = '<script>alert(1)</script>]]>"\'&\\x01\\x1b[2Jé\\xff,x'


def dtrace(*arguments, status=0):
    """Runs dtrace; its result, and the output with empty lines left out."""
    result = harness.run([harness.DTRACE, '-q', *arguments])
    harness.check(result.status == status, 'dtrace %s\n%s', arguments, result)
    return result


def read(path):
    with open(path, 'rb') as f:
        return f.read()


def frames(path):
    """The frames of a flame graph: [(name, value, base, x, width, row)]."""
    root = ET.fromstring(read(path))
    harness.check(len(list(root.iter(SVG + 'script'))) == 1, 'not one script')
    found = []
    for g in root.find(SVG + "g[@id='frames']"):
        box = g.find(SVG + 'rect')
        found.append((g.get('data-n'), int(g.get('data-v')), g.get('data-b'),
                      float(box.get('x')), float(box.get('width')), int(box.get('y'))))
    return found


def structure():
    """Each frame is as wide as its share, and stands on its caller."""
    program = 'pid$target:a.out:mark:entry { @[execname, ustack()] = count(); }'
    with tempfile.TemporaryDirectory() as folder:
        svg, folded = folder + '/f.svg', folder + '/f.folded'
        with open(svg, 'w', encoding='utf-8') as f:
            f.write('x' * 100000)
        result = dtrace('-x', 'stackformat=folded', '-o', folded, '--flame', svg, '-n', program,
                        '-c', harness.target('stacks'))
        boxes = frames(svg)
        lines = read(folded).decode().splitlines()
        again = folder + '/again.svg'
        dtrace('--flame', again, '-n', program, '-c', harness.target('stacks'))
        harness.check(len(lines) > 8 and all(re.fullmatch(r'stacks;\S.* [0-9]+', x)
                                             for x in lines), 'folded: %s\n%s', lines, result)
        sums = {}
        for line in lines:
            stack, value = line.rsplit(' ', 1)
            for name in set(stack.split(';')):
                sums[name] = sums.get(name, 0) + int(value)
        total = boxes[0][1]
        harness.check(boxes[0][0] == 'all' and total == sums['stacks'], 'root %s', boxes[0])
        for name, value, _, x, width, y in boxes[1:]:
            harness.check(abs(width - 1200 * value / total) < 0.02, '%s: %s', name, width)
            harness.check(any(b[5] == y + 17 and b[3] <= x + 0.02 and
                              b[3] + b[4] >= x + width - 0.02 for b in boxes),
                          '%s stands on nothing', name)
        main = [b for b in boxes if b[0] == 'stacks`main']
        harness.check(sum(b[1] for b in main) == sums['stacks`main'], 'main: %s', main)
        # the same stacks give the same bytes, but for addresses that have no name
        harness.check([b[:2] for b in frames(again) if '0x' not in b[0]] ==
                      [b[:2] for b in boxes if '0x' not in b[0]], 'not the same again')


def hostile():
    """Names that try to be markup, a script, or a command of the terminal."""
    program = ('BEGIN { @n["%s", ustack()] = sum(3); @n["", ustack()] = sum(-2);'
               ' @n["b", ustack()] = sum(1); exit(0); }' % HOSTILE)
    with tempfile.TemporaryDirectory() as folder:
        svg = folder + '/f.svg'
        result = dtrace('--flame', svg, '-n', program)
        harness.check(result.out == '\n', 'it is printed as well: %s', result)
        with open(svg, encoding='utf-8') as f:
            text = f.read()
        harness.check(not re.search('[\x00-\x08\x0b-\x1f\x7f]', text), 'control characters')
        harness.check(text.count('<script') == 1 and text.count(']]>') == 1, 'markup')
        named = [(b[0], b[1]) for b in frames(svg)]
        harness.check(named == [('all', 4), (SHOWN, 3), ('[no stack]', 3), ('b', 1),
                                ('[no stack]', 1)], 'frames: %s', named)
        result = dtrace('-x', 'stackformat=folded', '-n', program)
        harness.check(SHOWN + ';[no stack] 3\n' in result.out, 'folded: %s', result)


def differential():
    """Shares of this run and of the earlier one, colours by what changed."""
    def program(a, b):
        return ('BEGIN { @["a", ustack()] = sum(%d); @["b", ustack()] = sum(%d); exit(0); }'
                % (a, b))
    with tempfile.TemporaryDirectory() as folder:
        old, svg = folder + '/old', folder + '/f.svg'
        dtrace('-x', 'stackformat=folded', '-o', old, '-n', program(30, 10))
        with open(old, 'a', encoding='utf-8') as f:
            f.write('CPU     ID   FUNCTION:NAME\n\nno number x\n 5\nc;d 40\n')
        dtrace('--flame', svg, '--flame-base', old, '-n', program(1, 3))
        shown = {b[0]: b[1:3] for b in frames(svg)}
        harness.check(shown == {'all': (4, '80'), 'a': (1, '30'), 'b': (3, '10'),
                                '[no stack]': (3, '10')}, 'shown: %s', shown)
        fills = re.findall(r'data-n="([ab])".*?fill="#(..)(..)(..)"', read(svg).decode())
        colours = {name: (int(r, 16), int(b, 16)) for name, r, _, b in fills}
        harness.check(colours['a'][0] < colours['a'][1], 'a is not blue: %s', colours)
        harness.check(colours['b'][0] > colours['b'][1], 'b is not red: %s', colours)


def refused():
    """What cannot be drawn is said before tracing."""
    stack = 'BEGIN { @[ustack()] = count(); exit(0); }'
    with tempfile.TemporaryDirectory() as folder:
        svg, empty = folder + '/f.svg', folder + '/empty'
        with open(empty, 'w', encoding='utf-8') as f:
            f.write('nothing here\n')
        for text, arguments in (
                ('needs an aggregation of count() or sum() with a stack',
                 ['--flame', svg, '-n', 'BEGIN { @[pid] = count(); @a[ustack()] = max(1); }']),
                ("cannot open '/nonexistent/f.svg': No such file",
                 ['--flame', '/nonexistent/f.svg', '-n', stack]),
                ("cannot read '/nonexistent/f': No such file",
                 ['--flame', svg, '--flame-base', '/nonexistent/f', '-n', stack]),
                ('has no folded stacks', ['--flame', svg, '--flame-base', empty, '-n', stack]),
                ('--flame-base needs --flame', ['--flame-base', empty, '-n', stack])):
            result = dtrace(*arguments, status=1)
            harness.check(text in result.err, 'no word of %s: %s', text, result)
        result = dtrace('--flame', svg, '-n',
                        'BEGIN { exit(0); } END /0/ { @n[ustack()] = count(); }')
        harness.check(result.err == 'dtrace: no flame graph: @n is empty\n', '%s', result)
        result = dtrace('--flame', '/dev/full', '-n', stack, status=1)
        harness.check("failed to write '/dev/full': No space left" in result.err, '%s', result)


def events(path):
    """The trace events of a timeline, after the tracks' names."""
    found = json.loads(read(path))['traceEvents']
    return ([e for e in found if e['ph'] != 'M'],
            {(e['pid'], e.get('tid'), e['name']): e['args'].get('name')
             for e in found if e['ph'] == 'M'})


def timeline():
    """Entries and returns of each thread nest; what did not return ends all the same."""
    program = ('pid$target:a.out::entry, pid$target:a.out::return { }'
               ' pid$target:a.out::entry { } proc:::exit { }')
    with tempfile.TemporaryDirectory() as folder:
        path = folder + '/t.json'
        dtrace('--timeline', path, '-n', program, '-c', harness.target('stacks'))
        found, tracks = events(path)
        pid = found[0]['pid']
        harness.check(tracks[pid, pid, 'process_name'] == 'stacks', 'tracks %s', tracks)
        stack, names, last = [], {}, 0
        for e in found:
            harness.check(e['ts'] >= last, 'goes back: %s', e)
            last = e['ts']
            if e['ph'] == 'B':
                stack.append(e['name'])
                names[e['name']] = names.get(e['name'], 0) + 1
            elif e['ph'] == 'E':
                stack.pop()
        harness.check(not stack, 'open: %s', stack)
        harness.check(names['main'] == 1 and names['deep'] > 500, 'names %s', names)
        ends = [tuple(e['args']) for e in found if e['ph'] == 'E' and 'args' in e]
        harness.check(('return',) in ends and ('unfinished',) in ends, 'ends %s', ends)
        harness.check([e['name'] for e in found if e['ph'] == 'i'] == ['exit'], 'instants')
        # returns without an entry are instants
        dtrace('--timeline', path, '-n', 'pid$target:a.out:inner:return { }',
               '-c', harness.target('stacks'))
        found, _ = events(path)
        harness.check({(e['ph'], e['name']) for e in found} == {('i', 'inner:return')},
                      'returns: %s', found)
        result = dtrace('--timeline', path, '-n', 'BEGIN { @ = count(); exit(0); }')
        harness.check('the timeline is empty' in result.err and events(path)[0] == [], '%s',
                      result)
        result = dtrace('--timeline', '/dev/full', '-n', 'BEGIN { exit(0); }', status=1)
        harness.check("failed to write '/dev/full'" in result.err, '%s', result)


def cells(path):
    """The cells of a heat map: [(interval, values, count)], and the boxes of its columns."""
    root = ET.fromstring(read(path))
    rows = [row.get('data-n') for row in root.find(SVG + "g[@id='rows']")]
    found, columns = [], []
    for column in root.find(SVG + "g[@id='cells']"):
        boxes = list(column)
        found += [(column.get('data-n'), rows[int(b.get('data-r'))], int(b.get('data-v')))
                  for b in boxes]
        columns += [(float(boxes[0].get('x')), float(boxes[0].get('width')))] if boxes else []
    return found, columns


# @a has 40 in the bucket of 4, under three keys; @b is not drawn.
COUNTED = ('int n; tick-7ms { n++; @a[n %% 3] = quantize(5); @b = lquantize(70, 0, 100, 10); %s }'
           ' tick-7ms /n >= 40/ { exit(0); } %s')


def heatmap():
    """Each count is in one interval, whatever printa(), clear() and trunc() do meanwhile."""
    with tempfile.TemporaryDirectory() as folder:
        svg = folder + '/h.svg'
        for name, clause, more, intervals in (
                ('aggrate', '', '', 2),
                ('printa', '', 'tick-60ms { printa(@a); }', 1),
                ('clear', '', 'tick-60ms { printa(@a); clear(@a); }', 1),
                ('clear alone', 'clear(@a);', '', 2),
                ('trunc', '', 'tick-60ms { printa(@a); trunc(@a, 1); }', 1)):
            result = dtrace('-x', 'aggrate=20ms', '--heatmap', svg, '-n', COUNTED % (clause, more))
            shown, columns = cells(svg)
            harness.check(sum(c[2] for c in shown) == 40, '%s: %s\n%s', name, shown, result)
            harness.check({c[1] for c in shown} == {'4 to 7'}, '%s: %s', name, shown)
            harness.check(len(columns) >= intervals, '%s: %d intervals', name, len(columns))
            for a, b in zip(columns, columns[1:]):
                harness.check(a[0] + a[1] <= b[0] + 0.02, '%s: columns overlap', name)
        # values of another process, in a unit that tries to be markup
        dtrace('--heatmap', svg, '-x', 'heatmapunit=' + HOSTILE, '-n',
               'pid$target:a.out:mark:entry { @ = lquantize(arg0, 0, 4); }',
               '-c', harness.target('stacks'))
        text = read(svg).decode()
        harness.check(text.count('<script') == 1 and text.count(']]>') == 1, 'markup')
        harness.check(sum(c[2] for c in cells(svg)[0]) > 8, 'cells: %s', cells(svg))
        # what there is nothing to draw of
        result = dtrace('--heatmap', svg, '-n', 'BEGIN { @ = count(); exit(0); }', status=1)
        harness.check('--heatmap needs an aggregation of quantize()' in result.err, '%s', result)
        result = dtrace('--heatmap', svg, '-n', 'BEGIN { exit(0); } END /0/ { @ = quantize(1); }')
        harness.check('no heat map: the histogram is empty' in result.err, '%s', result)
        result = dtrace('--heatmap', '/dev/full', '-n', 'BEGIN { @ = quantize(1); exit(0); }',
                        status=1)
        harness.check("failed to write '/dev/full'" in result.err, '%s', result)


def fields(data):
    """A message of protobuf: its fields and their values, varints as numbers."""
    def varint():
        nonlocal data
        value = shift = 0
        while True:
            byte, data = data[0], data[1:]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    found = {}
    while data:
        key = varint()
        harness.check(key & 7 in (0, 2), 'wire type %d', key & 7)
        if key & 7 == 0:
            value = varint()
        else:
            n = varint()
            harness.check(n <= len(data), 'a field is cut')
            value, data = data[:n], data[n:]
        found.setdefault(key >> 3, []).append(value)
    return found


def profile():
    """What is in a profile, whatever the names are; what is refused."""
    stack = 'BEGIN { @["%s", ustack(), -5] = sum(3); @c[ustack()] = count(); exit(0); }'
    with tempfile.TemporaryDirectory() as folder:
        path = folder + '/p.pb.gz'
        result = dtrace('--pprof', path, '-x', 'pprofunit=ms', '-n', stack % HOSTILE)
        harness.check(result.out == '\n', 'it is printed as well: %s', result)
        message = fields(gzip.decompress(read(path)))
        strings = [s.decode() for s in message[6]]
        harness.check(not re.search('[\x00-\x1f\x7f]', ''.join(strings)), '%s', strings)
        types = [[strings[fields(t)[k][0]] for k in (1, 2)] for t in message[1]]
        harness.check(types == [['sum', 'milliseconds'], ['c', 'count']], 'types %s', types)
        labels = [fields(x) for x in fields(message[2][0])[3]]
        harness.check([strings[x[1][0]] for x in labels] == ['key1', 'key3'], '%s', labels)
        harness.check(strings[labels[0][2][0]] == SHOWN, '%s', strings)
        harness.check(labels[1][3][0] == 2 ** 64 - 5, '%s', labels)
        harness.check('[no stack]' in strings, '%s', strings)
        for arguments, text in (
                ([path, '-n', 'BEGIN { @[pid] = count(); }'],
                 '--pprof needs an aggregation of count() or sum() with a stack'),
                (['/dev/full', '-n', stack % ''], "failed to write '/dev/full'"),
                (['/nonexistent/p', '-n', stack % ''], "cannot open '/nonexistent/p'")):
            result = dtrace('--pprof', *arguments, status=1)
            harness.check(text in result.err, 'no word of %s: %s', text, result)
        main, terminal = os.openpty()
        try:
            result = dtrace('--pprof', os.ttyname(terminal), '-n', stack % '', status=1)
        finally:
            os.close(main)
            os.close(terminal)
        harness.check('it is a terminal, a profile is no text' in result.err, '%s', result)
        result = dtrace('--pprof', path, '-n', 'BEGIN { exit(0); } END /0/ { @[ustack()] = '
                        'count(); }')
        harness.check('the profile is empty' in result.err, '%s', result)


def pprof():
    """Go's pprof reads frames, inlined ones, lines, mappings and values."""
    program = ('pid$target:a.out:leaf:entry { @[execname, ustack(3)] = count();'
               ' @b[ustack(1)] = sum(100); }')
    with tempfile.TemporaryDirectory() as folder:
        path = folder + '/p.pb.gz'
        dtrace('--pprof', path, '-x', 'pprofunit=bytes', '-x', 'ustackline', '-x', 'ustackinline',
               '-n', program, '-c', harness.target('inlinestack'))

        def go(*arguments):
            return subprocess.run(
                [harness.installed('go'), 'tool', 'pprof', *arguments, path], check=True,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                env=dict(os.environ, HOME=folder, PPROF_TMPDIR=folder)).stdout
        raw = go('-raw')
        for expected in (
                r'samples/count\[dflt\] b/bytes\n',
                r'\n +1 +0: 1 2 3 *\n +key1:\[inlinestack\]\n',
                r'\n +0 +100: 1 *\n',
                r' 1: 0x[0-9a-f]+ M=1 leaf \S*inlinestack\.c:11 s=0\n',
                r' 2: 0x[0-9a-f]+ M=1 innermost \S*inlinestack\.c:17 s=0\n'
                r' +between \S*inlinestack\.c:24 s=0\n +outer \S*inlinestack\.c:30 s=0\n',
                r'\n1: 0x[0-9a-f]+/0x[0-9a-f]+/0x0 \S*/inlinestack [0-9a-f]{40} '
                r'\[FN\]\[FL\]\[LN\]\[IN\]\n'):
            harness.check(re.search(expected, raw), 'no %s in\n%s', expected, raw)
        top = go('-top', '-sample_index=b')
        harness.check(re.search(r'100B +100% +100% +100B +100% +leaf\n', top), '%s', top)
        top = go('-top')
        harness.check(re.search(r' 1 +100% +between \(inline\)\n', top), '%s', top)


def inlined():
    """Inlined functions are frames of folded stacks, flame graphs and JSON."""
    program = 'pid$target:a.out:leaf:entry { @[ustack(3)] = count(); }'
    arguments = ['-x', 'ustackinline', '-n', program, '-c', harness.target('inlinestack')]
    names = ['main', 'outer', 'between [inlined]', 'innermost [inlined]', 'leaf']
    with tempfile.TemporaryDirectory() as folder:
        svg = folder + '/f.svg'
        dtrace('--flame', svg, *arguments)
        harness.check([b[0] for b in frames(svg)] == ['all'] + ['inlinestack`' + n for n in names],
                      'frames: %s', frames(svg))
        stack = json.loads(dtrace('-O', 'json', *arguments).out.splitlines()[1])['keys'][0]
        found = [f['function'] + (' [inlined]' if f.get('inlined') else '') for f in stack]
        harness.check(found == names[::-1], 'frames: %s', stack)
        harness.check(['offset' in f for f in stack] == [True, False, False, True, True],
                      'offsets: %s', stack)


harness.main({'structure': structure, 'hostile': hostile, 'differential': differential,
              'refused': refused, 'timeline': timeline, 'heatmap': heatmap, 'profile': profile,
              'pprof': pprof, 'inlined': inlined})
