#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Code that programs map without the loader, after dtrace has come: its probes fire from
its first call on, and nothing is left in it."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
from attached import check_free, start_tracing, text_of, tracers  # noqa: E402

LEAVES = '$target:leaves*:leaf*:entry'
COUNT = 'pid' + LEAVES + ', pid$target:memfd*:leaf*:entry { @[probefunc] = count(); }'
OFTEN = 'it maps memory so often that its calls are not watched'


def command(how, *words, program='ownloader', library=None):
    return [harness.target(program), how, library or harness.target('leaves.so'),
            *map(str, words)]


def counted(how, program='ownloader', without=()):
    """Each call is counted, in each of three turns, whatever was mapped and how."""
    result = harness.traced(COUNT, ' '.join(command(how, program=program)), ['-Z'])
    calls = {name: n for name, n in harness.truth(result.out)[0].items()
             if name.startswith('leaf_') and name not in without}
    counts = harness.counts(result.data)
    harness.check(len(calls) == 3 - len(without) and counts == calls, '%s %s: %s', program,
                  how, result)
    harness.check('cannot' not in result.err, '%s', result)
    return result


def mapped():
    """By segments, in one piece, made executable late, pieces, twice, over itself; from a
    file without a name; by a program without a loader."""
    for how in ('segments', 'whole', 'late', 'piece', 'both', 'over', 'memfd'):
        counted(how)
    for how in ('segments', 'late', 'over'):
        counted(how, 'ownloader_static')


def patched():
    """Code that is not what the file has gets no probe: nothing is known of it."""
    result = counted('patched', without=('leaf_twice',))
    harness.check("the code of 'leaf_twice' is not what its file 'leaves.so' has: it gets "
                  'no probe' in result.err, '%s', result)


def stops(description):
    result = harness.traced(description + ' { @ = count(); }',
                            ' '.join(command('busy', 1)), ['-Z'])
    return int(re.search(r'^stops (\d+)$', result.out, re.M).group(1)), result.err


def unwatched():
    """100000 mappings without code: no stop where no description can match more. Where one
    can, they stop until they come too often: a busy machine may not be so fast."""
    known = 'pid$target:a.out:turn:entry'
    few, err = stops(known)
    harness.check(few < 1000 and OFTEN not in err, '%d stops\n%s', few, err)
    most, err = stops(known + ', pid$target:later*::entry')
    harness.check(most > 3000 and (OFTEN in err) == (most < 100000), '%d stops\n%s', most,
                  err)


def check_text(pid, before):
    """No thread is traced and the code is what it was. Memory for moved instructions may
    stay while the thread sleeps."""
    harness.until(lambda: not tracers(pid), 20, 'nobody traces it')
    after = text_of(pid)
    changed = [line for line in before if before[line] != after.get(line)]
    harness.check(not changed, '%d: bytes differ in %s', pid, changed)


class Waiting:
    """The target in turns: it waits where it has mapped the library. Afterwards it goes on
    to its end, and its counts are right."""

    def __init__(self, how, turns, library=None):
        self.turns, self.turn = turns, 0
        self.process = subprocess.Popen(command(how, turns, 'wait', library=library),
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        encoding='utf-8')
        self.pid, self.at = self.process.pid, None

    def _line(self, what):
        line = self.process.stdout.readline().split()
        harness.check(line and line[0] == what, '%s, not %s', line, what)
        return line[1:]

    def _go_on(self):
        self.process.stdin.write('\n')
        self.process.stdin.flush()

    def _mapped(self):
        self.at = int(self._line('mapped')[0], 16)
        self.turn += 1

    def next(self):
        """Its calls, then the same once more until it has mapped it."""
        self._go_on()
        self._line('called')
        self._go_on()
        self._mapped()

    def byte(self):
        """The first of the last function of the library: its probe is the last one."""
        with open('/proc/%d/mem' % self.pid, 'rb', buffering=0) as memory:
            memory.seek(self.at)
            return memory.read(1)

    def __enter__(self):
        self._mapped()
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None and self.process.poll() is None:
                while self.turn < self.turns:
                    self.next()
                out, _ = self.process.communicate('\n\n', timeout=60)
                harness.check(self.process.returncode == 0 and
                              harness.truth(out)[0]['leaf_far'] == 5 * self.turns,
                              '%s: %s', self.process.returncode, out)
        finally:
            self.process.kill()
            self.process.communicate()


class Tracing:
    """dtrace -p for such a target."""

    def __init__(self, pid):
        self.process = start_tracing(
            pid, 'pid$target:leaves*::entry { @[probefunc] = count(); } ', '-Z')

    def keeper(self):
        pid = self.process.pid
        with open('/proc/%d/task/%d/children' % (pid, pid), encoding='utf-8') as f:
            return int(f.read().split()[0])

    def end(self, turns):
        """Ctrl-C. Each call of so many turns was counted."""
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=60)
        counts = harness.counts(out)
        names = ('leaf_twice', 'leaf_thrice', 'leaf_far') if turns else ()
        harness.check(self.process.returncode == 0 and
                      counts == {name: 5 * turns for name in names},
                      '%s %s: %s', self.process.returncode, counts, err)


def attached():
    """A process that runs: also what it maps again in the same place has its probes before
    it is called, and is as it was afterwards."""
    with Waiting('segments', 6) as target:
        free, before = target.byte(), text_of(target.pid)
        tracing = Tracing(target.pid)
        for _ in range(3):
            harness.check(target.byte() != free, 'no probe in turn %d', target.turn)
            target.next()
        tracing.end(3)
        check_free(target.pid, before)


def raw():
    """System calls of its own are noticed a little later, in the same place as well."""
    with Waiting('raw', 6) as target:
        free, before = target.byte(), text_of(target.pid)
        tracing = Tracing(target.pid)
        for _ in range(3):
            harness.until(lambda: target.byte() != free, 20, 'a probe')
            target.next()
        tracing.end(3)
        check_free(target.pid, before)


def further():
    """With a further link map: what its calls map does not wait, even if it was seen before
    them; what it maps by system calls of its own waits for a list of the loader first."""
    os.environ['FURTHER_LINK_MAP'] = '1'
    counted('segments')
    counted('twice')
    with subprocess.Popen(
            [harness.DTRACE, '-Zqn', 'BEGIN { printf("pid %d\\n", $target); } ' +
             COUNT.replace('pid$', harness.PROVIDER + '$'), '-c',
             ' '.join(command('raw', 1, 'wait'))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding='utf-8') as tracing:
        said = dict(tracing.stdout.readline().split() for _ in ('pid', 'mapped'))
        with open('/proc/%s/mem' % said['pid'], 'rb') as memory:
            harness.until(lambda: os.pread(memory.fileno(), 1, int(said['mapped'], 16))
                          in (b'\xcc', b'\xe9'), 20, 'a probe')
        out, _ = tracing.communicate('\n\n', timeout=60)
    counts = harness.counts(out)
    harness.check(counts.get('leaf_far') == 5 and len(counts) == 3, '%s', out)


def deleted():
    """The file has gone when it is mapped: root reads it all the same."""
    if os.geteuid():
        raise harness.Skipped('a file without a name is read by root only')
    with tempfile.TemporaryDirectory(prefix='mapped-') as folder:
        library = os.path.join(folder, 'leaves.so')
        shutil.copy(harness.target('leaves.so'), library)
        with Waiting('segments', 1, library) as target:
            free = target.byte()
            os.unlink(library)
            tracing = Tracing(target.pid)
            harness.check(target.byte() != free, 'no probe')
            tracing.end(0)


def killed():
    """kill -9 of dtrace, of the keeper, of the target: no probe is left, and no process."""
    for who in ('dtrace', 'keeper', 'target'):
        with Waiting('segments', 4) as target:
            free, before = target.byte(), text_of(target.pid)
            tracing = Tracing(target.pid)
            target.next()
            harness.check(target.byte() != free, 'no probe')
            if who == 'target':
                target.process.kill()
                target.process.wait()
                tracing.process.communicate(timeout=60)
                harness.check(tracing.process.returncode == 0, 'dtrace fails')
                continue
            keeper = tracing.keeper()
            os.kill(keeper if who == 'keeper' else tracing.process.pid, signal.SIGKILL)
            tracing.process.communicate(timeout=60)
            harness.until(lambda: not os.path.exists('/proc/%d' % keeper), 20, 'no keeper')
            check_text(target.pid, before)


cases = {f.__name__: f for f in (mapped, patched, unwatched, attached, raw, further,
                                    deleted, killed)}


if __name__ == '__main__':
    harness.main(cases)
