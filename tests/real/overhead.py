#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""-x overhead: the hits of each probe are exact; times and shares are there. -x budget:
what costs more is switched off, and the results say that they are partial."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import attached  # noqa: E402
import harness  # noqa: E402
import ready  # noqa: E402

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


def own_times(what, probes, command, options=(), least=0):
    """The time between entry and return, by a thread's own time and by the clock, in one
    run: the first is less, and it never goes back, whatever probes are between."""
    spans = [p.split(':') for p in probes.split()]
    entries = ','.join('%s$target:%s:%s:entry' % tuple(s) for s in spans)
    program = r"""
self uint64_t last;
%s { self->t[probefunc] = timestamp; self->w[probefunc] = walltimestamp; }
%s /self->t[probefunc]/
{
    this->own = (int64_t)(timestamp - self->t[probefunc]);
    this->wall = (int64_t)(walltimestamp - self->w[probefunc]);
    @n["spans"] = sum(1); @n["own"] = sum(this->own); @n["wall"] = sum(this->wall);
    @n["longer"] = sum(this->own > this->wall); @n["negative"] = sum(this->own < 0);
    @least["least"] = min(this->own);
    self->t[probefunc] = 0;
}
pid$target:a.out::entry,fpid$target:a.out::return,syscall:::entry,syscall:::return
{
    @n["back"] = sum(timestamp < self->last);
    self->last = timestamp;
}
END { printa("least %%s %%@d\n", @least); printa("n %%s %%@d\n", @n); }
""" % (entries, entries.replace(':entry', ':return'))
    result = harness.traced(program, command, ['-q', '-x', 'overhead=subtract', *options])
    n = harness.tagged(result.data, 'n')
    harness.check(n['back'] == n['longer'] == n['negative'] == 0, '%s: %s', what, n)
    harness.check(n['spans'] > 0 and n['own'] < n['wall'], '%s: %s', what, n)
    harness.check(harness.tagged(result.data, 'least')['least'] >= least, '%s: %s', what, n)
    harness.check(len(Table(result.err).rows) > 3, '%s', result)


def subtracted():
    """Jumps and stops in one thread, native and interpreted; threads, children; a thread
    that sleeps: that is no cost of a probe."""
    plain = harness.target('plain')
    both = 'pid:a.out:beta fpid:a.out:loop'
    own_times('mixed', both, plain)
    own_times('interpreted', both, plain, ['-x', 'native=off'])
    own_times('jumps', 'fpid:a.out:loop fpid:a.out:beta', plain)
    own_times('threads', 'fpid:a.out:work pid:a.out:inner', harness.target('threads'))
    own_times('children', 'pid:a.out:only_child', harness.target('forker'), ['-x', 'follow'])
    own_times('asleep', 'pid:libc*:clock_nanosleep fpid:libc*:nanosleep', 'sleep 0.1',
              least=90000000)


class Busy:
    """The test program busy: eight threads, and children of fork."""

    def __enter__(self):
        self.process = subprocess.Popen([harness.target('busy')], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        harness.check(ready.wait_until(lambda: ready.waits(self.pid)), 'it does not start')
        self.before = attached.text_of(self.pid)
        return self

    def text(self):
        """Whether its text is 'same' or 'changed', as it finds it."""
        self.process.send_signal(signal.SIGUSR1)
        return self.process.stdout.readline().split()[1]

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate()
        harness.check(self.process.returncode == 0, 'a child noticed')


def cut(provider):
    """All probes of two processes cost too much. The breakpoints are taken out at once."""
    with Busy() as one, Busy() as two, tempfile.TemporaryFile('w+') as err:
        program = ','.join('%s%d:a.out:work:entry' % (provider, p.pid) for p in (one, two))
        command = [harness.DTRACE, *OPTION, '-x', 'budget=0.001%', '-n',
                   program + ' {@[probeprov] = count();}']
        for each in one, two:
            command += ['-p', str(each.pid)]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=err, text=True, start_new_session=True) as run:
            harness.until(lambda: harness.content(err).count(' is switched off after ') == 2, 30,
                          'both probes off')
            if provider == 'pid':
                for each in one, two:
                    harness.until(lambda p=each: p.text() == 'same', 10, 'its text restored')
            run.send_signal(signal.SIGINT)
            out = run.communicate(timeout=20)[0]
        text = harness.content(err)
        harness.check(run.returncode == 0 and 'the results are partial: -x budget=0.001% has '
                      'switched off 2 probes' in text, '%s', text)
        counted = harness.counts(out)
        shown = {row[3].split(':')[0]: row[0] for row in Table(text).rows}
        harness.check(len(counted) == 2 and counted == shown, '%s\n%s', counted, shown)
        for each in one, two:
            attached.check_free(each.pid, each.before)


def stays_off():
    """A probe that is off gets no sites where its function comes again."""
    busy = harness.target('busy')
    result = harness.traced('fpid$target:busy:work:entry {@["p", pid] = count();}',
                            "sh -c '%s 1; %s 1'" % (busy, busy),
                            ['-Z', '-x', 'follow', '-x', 'budget=0.001%'])
    counted = re.findall(r'^  p +\d+ +(\d+)$', result.data, re.M)
    harness.check(len(counted) == 1, '%s', result)
    harness.check(result.err.count('is switched off after') == 1 and
                  'switched off 1 probe\n' in result.err, '%s', result)


def affordable():
    """Nothing is switched off, and nothing is said, while the probes cost less."""
    result = harness.traced('fpid$target:a.out::entry {@[probefunc] = count();}',
                            harness.target('threads'), ['-x', 'budget=100%'])
    calls, _ = harness.truth(result.out)
    harness.same_counts(calls, harness.counts(result.data), 'entries')
    harness.check('budget' not in result.err and 'partial' not in result.err, '%s', result)


def shares():
    """What is no share is refused."""
    for value in '0', '-1', '101%', 'x', '5%%', '', '1e3', 'nan':
        result = harness.run([harness.DTRACE, '-x', 'budget=' + value, '-n', 'BEGIN {exit(0);}'])
        harness.check(result.status == 1 and 'budget' in result.err, '%r: %s', value, result)
    for value in '5', '0.001%', '100%':
        result = harness.run([harness.DTRACE, '-x', 'budget=' + value, '-n', 'BEGIN {exit(0);}'])
        harness.check(result.status == 0, '%r: %s', value, result)


harness.main({'jumps': jumps, 'stops': stops, 'mixed': mixed, 'families': families,
              'running': running, 'bounded': bounded, 'forms': forms,
              'cut_jumps': lambda: cut('fpid'), 'cut_stops': lambda: cut('pid'),
              'stays_off': stays_off, 'subtracted': subtracted, 'affordable': affordable, 'shares': shares})
