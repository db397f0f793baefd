#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""-x check: pid and fpid say the same about programs that do not notice; what differs is
named, what varies by itself is no difference, and what cannot be compared is refused."""
import os
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402

HEAD = re.compile(r'^dtrace: check: (\d+) probes, (\d+) hits by fpid, (\d+) of them by jumps: '
                  r'hits, arguments and returns are (not )?the same by pid$', re.M)
ROW = re.compile(r'^ *(\d+) +(\d+)  (\w+:\w+:\w+)((?:, \w+)*)$', re.M)
PROGRAM = 'pid$target:a.out::entry,pid$target:a.out::return {@[probename] = count();}'


def check(program, command, *options):
    """A run, the numbers of its first line, and the rows that differ."""
    result = harness.run([harness.DTRACE, '-q', '-x', 'check', *options, '-n', program,
                          '-c', command], timeout=100)
    heads = HEAD.findall(result.err)
    harness.check(len(heads) == 1, '%s', result)
    rows = {row[2]: (int(row[0]), int(row[1]), row[3]) for row in ROW.findall(result.err)}
    return result, tuple(int(n) for n in heads[0][:3]), rows


def same(program, command, status=0, words='the output is the same'):
    """No difference; the shares of what was compared. The output comes once."""
    result, (probes, hits, jumps), rows = check(program, command)
    harness.check(result.status == status and not rows and 'differ' not in result.err and
                  words in result.err, '%s', result)
    harness.check(probes > 0 and hits >= jumps > hits * 9 // 10, '%s', result)
    return result, probes, hits


def counted():
    """Each call of test programs, with the providers in either word; it runs three times
    and is seen once."""
    for target, provider in (('plain', 'pid'), ('recurse', 'fpid'), ('tail', 'pid'),
                             ('throwing', 'fpid'), ('forker', 'fpid')):
        program = PROGRAM.replace('pid$', provider + '$')
        result, _, hits = same(program, harness.target(target))
        calls, _ = harness.truth(result.out)
        lines = harness.counts(result.out)
        harness.check(lines['entry'] + lines['return'] == hits, '%s', result)
        once = re.findall('^%s ' % next(iter(calls)), result.out, re.M)
        harness.check(len(once) == 1, '%s', result)
    result, _, hits = same('pid$target:a.out:loop: {@ = count();} END {exit(9);}',
                           harness.target('plain'), status=9)
    harness.check(re.search(r'^ +%d$' % hits, result.out, re.M), '%s', result)


def different():
    """A program that acts otherwise when it finds a jump in its text."""
    result, _, rows = check(PROGRAM.replace('pid$', 'fpid$'), harness.target('twofaced') + ' jump')
    expected = {'counted:entry': (3, 4, ''), 'counted:return': (3, 4, ''),
                'given:entry': (1, 1, ', arg1'), 'given:return': (1, 1, ', arg1'),
                'told:entry': (1, 1, ', arg0'), 'told:return': (1, 1, ', arg1')}
    found = {name: rows.get('twofaced:' + name, (0, 0, '')) for name in expected}
    # other argument registers have what was left in them
    harness.check(all(found[name][:2] == row[:2] and row[2] in found[name][2]
                      for name, row in expected.items()), '%s', result)
    harness.check(found['given:entry'] == expected['given:entry'], '%s', result)
    harness.check('twofaced:same:entry' not in rows, '%s', result)
    harness.check(result.status == 1 and 'not the same' in result.err, '%s', result)
    harness.check(re.search(r'the output differs: "sum=\d+" by pid, "sum=\d+" by fpid',
                            result.err), '%s', result)
    # the shown output is that of the first run
    harness.check('counted 3' in result.out and 'counted 4' not in result.out, '%s', result)


def varying(how, runs):
    """Of a program whose output varies by itself, and that runs so often."""
    with tempfile.TemporaryDirectory(prefix='check-') as folder:
        path = os.path.join(folder, 'runs')
        result, _, _ = same('fpid$target:a.out::entry {@[probefunc] = count();}',
                            '%s %s %s' % (harness.target('twofaced'), how, path),
                            words='the output varies by itself')
        harness.check(os.path.getsize(path) == runs, 'not %d runs: %s', runs, result)
    return result


def restless():
    """What varies by itself: calls, an argument, the output. The rest is compared."""
    result = varying('again', 3)
    varied = re.search(r'check: (\d+) of them vary by themselves.*: (.*)$', result.err, re.M)
    harness.check(varied and 'twofaced:counted:entry' in varied.group(2) and
                  'twofaced:given:entry' in varied.group(2), '%s', result)


def chance():
    """What two runs by pid have in common, and the first by fpid has not, may be chance: it is
    looked at again."""
    result = varying('second', 4)
    harness.check(re.search(r'vary by themselves.*: twofaced:given:entry', result.err), '%s',
                  result)


def programs():
    """Debian's own: a function of each kind, in the program and in its library."""
    sqlite = harness.installed('sqlite3')
    names = 'sqlite3B*' if harness.is_small() else ''
    spec = 'pid$target:libsqlite3*:%s:' % names
    _, probes, _ = same('%sentry,%sreturn {@ = count();}' % (spec, spec),
                        sqlite + " :memory: 'select sum(3*14);'")
    harness.check(probes > (20 if names else 300), '%d probes', probes)


def files():
    """Standard input is read from its beginning by each run, and -o gets one of them."""
    with tempfile.TemporaryDirectory(prefix='check-') as folder:
        source, data = os.path.join(folder, 'source'), os.path.join(folder, 'data')
        with open(source, 'w', encoding='utf-8') as f:
            f.write('one\ntwo\n')
        result = harness.run([harness.DTRACE, '-q', '-x', 'check', '-o', data, '-n',
                              'pid$target:libc*:read:entry {@[probefunc] = count();}',
                              '-c', 'cat'], stdin=source)
        harness.check(result.status == 0 and result.out == 'one\ntwo\n' and
                      'the output is the same' in result.err, '%s', result)
        with open(data, encoding='utf-8') as f:
            harness.check(list(harness.counts(f.read())) == ['read'], '%s', result)


def refused():
    """With the reason, and before anything was run twice."""
    once = harness.target('once')
    entry = 'pid$target:a.out:f:entry '
    with tempfile.TemporaryDirectory(prefix='check-') as folder:
        path = os.path.join(folder, 'runs')
        command = '%s again %s' % (harness.target('twofaced'), path)
        cases = [
            (['-n', 'pid1:::entry {}', '-p', '1'], 'one command several times'),
            (['-n', entry + '{}'], 'one command several times'),
            (['-n', entry + '{}', '-c', once, '-c', once], 'one command several times'),
            (['-n', 'BEGIN {exit(0);}', '-c', command], 'the program has none of pid$target'),
            (['-w', '-n', 'pid$target:a.out:same:entry {raise(9);}', '-c', command],
             'check refuses destructive actions'),
            (['-n', 'pid$target:a.out:same:entry {raise(9);}', '-c', command],
             'Destructive actions not allowed'),
            (['-n', entry + '{@ = count();}', '--flame', folder + '/x.svg', '-c', once],
             'check compares text'),
            (['-n', entry + '{', '-c', command], 'syntax error'),
            (['-x', 'check=2', '-n', entry + '{}', '-c', once], 'failed to set -x check'),
        ]
        for words, reason in cases:
            result = harness.run([harness.DTRACE, '-q', '-x', 'check', *words])
            harness.check(result.status == 1 and reason in result.err and
                          'hits by fpid' not in result.err, '%s\n%s', words, result)
        result = harness.run([harness.DTRACE, '-n', 'BEGIN {exit(0);}'],
                             env={'DTRACE_OPT_CHECK': '1'})
        harness.check(result.status == 1 and 'DTRACE_OPT_CHECK' in result.err, '%s', result)
        harness.check(not os.path.exists(path), 'it ran')
    # nothing is claimed of hits that were lost
    result = harness.run([harness.DTRACE, '-q', '-x', 'check', '-x', 'aggsize=256', '-n',
                          'pid$target:::entry {}', '-c', harness.target('plain')])
    harness.check(result.status == 1 and 'hits were lost' in result.err, '%s', result)


def has_begun(pid):
    """Whether the command runs below that process."""
    try:
        with open('/proc/%d/task/%d/children' % (pid, pid), encoding='utf-8') as f:
            below = [int(word) for word in f.read().split()]
        with open('/proc/%d/comm' % pid, encoding='utf-8') as f:
            return f.read() == 'busy\n' or any(has_begun(child) for child in below)
    except FileNotFoundError:
        return False


def interrupted():
    """A signal ends the run under way, and nothing is compared; nothing is left."""
    command = [harness.DTRACE, '-q', '-x', 'check', '-n',
               'BEGIN {printf("begin\\n");} pid$target:a.out:work:entry {}', '-c',
               harness.target('busy')]
    with tempfile.TemporaryFile('w+') as out:
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                              start_new_session=True) as run:
            try:
                harness.until(lambda: has_begun(run.pid), 20, 'the first run')
                run.send_signal(signal.SIGTERM)
                run.wait(30)
            finally:
                run.kill()
        text = harness.content(out)
    harness.check(run.returncode != 0 and 'hits by fpid' not in text, '%s', text)


harness.main({'counted': counted, 'different': different, 'restless': restless, 'chance': chance,
              'programs': programs, 'files': files, 'refused': refused,
              'interrupted': interrupted})
