#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""-x overhead: the hits of each probe are exact; times and shares are there."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import attached  # noqa: E402
import harness  # noqa: E402

HEAD = re.compile(r'overhead: the probes took (\d+\.\d{3}) s, (\d+\.\d)% of (\d+\.\d{3}) s(.*)$',
                  re.M)
ROW = re.compile(r'^ *(\d+) +(\d+) +(\d+\.\d\d)%  (\S+)$', re.M)
OPTION = ['-x', 'overhead']


class Table:
    def __init__(self, text):
        heads = HEAD.findall(text)
        harness.check(len(heads) == 1, '%d tables:\n%s', len(heads), text)
        self.seconds, self.share, self.ran = (float(x) for x in heads[0][:3])
        self.ways = heads[0][3]
        text = text[text.index('overhead:'):]
        self.rows = [(int(hits), int(each), float(share), name)
                     for hits, each, share, name in ROW.findall(text)]
        shares = [row[2] for row in self.rows]
        harness.check(shares == sorted(shares, reverse=True), 'not in order:\n%s', text)
        # each row rounds
        harness.check(abs(sum(shares) - self.share) < 0.1 + 0.01 * len(shares) or
                      'more probes' in text, 'shares do not add up:\n%s', text)
        harness.check(0 <= self.share <= 100, '%s', text)

    def hits(self, name):
        """{function: hits} of the probes with that name."""
        found = {}
        for hits, _, _, probe in self.rows:
            if probe.endswith(':' + name):
                found[probe.split(':')[2]] = found.get(probe.split(':')[2], 0) + hits
        return found


def exact(provider, target, probes='a.out::entry'):
    result = harness.traced('%s$target:%s {@[probefunc] = count();}' % (provider, probes),
                            harness.target(target), OPTION)
    calls, _ = harness.truth(result.out)
    table = Table(result.err)
    harness.same_counts({name: n for name, n in calls.items() if n}, table.hits('entry'),
                        'hits of ' + target)
    harness.check(table.hits('entry') == harness.counts(result.data), '%s', result)
    return table


def jumps():
    """By jumps: the way in is measured, and costs less than a stop."""
    for target in 'plain', 'threads', 'forker', 'recurse':
        table = exact('fpid', target)
        ways = re.fullmatch(r'; a jump (\d+) ns; a stop (\d+) ns', table.ways)
        harness.check(ways and int(ways.group(1)) < int(ways.group(2)), '%s', table.ways)


def stops():
    """By breakpoints: each hit costs at least a bare stop."""
    for target in 'plain', 'threads':
        table = exact('pid', target)
        stop = int(re.fullmatch(r'; a stop (\d+) ns', table.ways).group(1))
        harness.check(all(row[1] >= stop for row in table.rows), '%s', table.rows)


def mixed():
    """Clauses that only the keeper can run, and others, in one process."""
    program = ('fpid$target:a.out:buy:entry {@[probefunc, cwd] = count();} '
               'fpid$target:a.out:find:entry {@[probefunc, "x"] = count();}')
    table = Table(harness.traced(program, harness.target('shop'), OPTION).err)
    each = {name.split(':')[2]: ns for _, ns, _, name in table.rows}
    harness.check(each['buy'] > 10 * each['find'], '%s', table.rows)


def families():
    """The rows of a family are sums, also of children that have ended long ago."""
    result = harness.traced('fpid$target:a.out::entry {@[probefunc] = count();}',
                            harness.target('forker'), OPTION + ['-x', 'follow'])
    table = Table(result.err)
    counted = harness.counts(result.data)
    shown = table.hits('entry')
    harness.check(counted['only_child'] == 1000 and counted == shown, '%s\n%s', counted, shown)


def running():
    """Two processes that run already: what they ran before does not count."""
    with attached.Gate([harness.target('gate')]) as one, \
            attached.Gate([harness.target('gate')]) as two:
        one.work(50, 'same')
        program = ','.join('fpid%d:a.out:work:entry' % gate.pid for gate in (one, two))
        with attached.Attached([one.pid, two.pid], program + ' {@ = count();}',
                               OPTION) as run:
            one.work(100, 'changed')
            two.work(300, 'changed')
        hits = {row[3].split(':')[0]: row[0] for row in Table(run.err).rows}
        harness.check(hits == {'fpid%d' % one.pid: 100, 'fpid%d' % two.pid: 300}, '%s', hits)
        one.end()
        two.end()


def bounded():
    """At most 20 rows, the most expensive ones; system calls have rows too."""
    result = harness.traced('fpid$target:::entry,syscall:::entry {@ = count();}',
                            harness.target('plain'), OPTION + ['-x', 'evaltime=exec'])
    table = Table(result.err)
    harness.check(len(table.rows) == 20 and re.search(r'^\d+ more probes$', result.err, re.M),
                  '%s', result)
    harness.check(any(row[3].startswith('syscall:') for row in table.rows), '%s', table.rows)


def forms():
    """As an object of JSON; nothing without the option, and nothing is different."""
    program = 'fpid$target:a.out:alpha:entry {@[probefunc] = count();}'
    plain = harness.traced(program, harness.target('plain'))
    harness.check('overhead' not in plain.err, '%s', plain)
    with_option = harness.traced(program, harness.target('plain'), OPTION)
    harness.check(plain.data == with_option.data, '%s', with_option)
    shown = harness.traced(program, harness.target('plain'), OPTION + ['-O', 'json'])
    texts = [o.get('text', '') for o in map(json.loads, shown.data.splitlines())]
    harness.check(any(Table(text).hits('entry') for text in texts if 'overhead' in text),
                  '%s', shown)


harness.main({'jumps': jumps, 'stops': stops, 'mixed': mixed, 'families': families,
              'running': running, 'bounded': bounded, 'forms': forms})
