#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that would notice: job control, filters, interrupted calls, odd thread lists."""
import os
import random
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402


class Attached:
    """A test program and a dtrace attached to it, both ended with the block."""

    def __init__(self, name, *arguments, program, first_line=True):
        self.target = subprocess.Popen([harness.target(name), *arguments],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if first_line:
            self.target.stdout.readline()
        self.dtrace = subprocess.Popen(
            # the sites are set after BEGIN
            [harness.DTRACE, '-n', program + ' tick-20ms /!n++/ { printf("on\\n"); }', '-p',
             str(self.target.pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in self.dtrace.stdout:
            if line.endswith('on\n'):
                return
        failure = harness.Failure('dtrace ended: ' + self.dtrace.stderr.read())
        self.__exit__()  # the block has not begun
        raise failure

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in (self.dtrace, self.target):
            process.kill()
            process.communicate()

    def states(self):
        found = ''
        for tid in os.listdir('/proc/%d/task' % self.target.pid):
            with open('/proc/%d/task/%s/stat' % (self.target.pid, tid), encoding='utf-8') as f:
                found += f.read().rpartition(')')[2].split()[0]
        return found

    def stays_stopped(self):
        """A thread in one of our own stops looks the same: it must last."""
        for _ in range(4):
            if not set(self.states()) <= {'T', 't'}:
                return False
            time.sleep(0.001)
        return True

    def stop_tracing(self):
        """Ctrl-C: (what it printed, its messages)."""
        self.dtrace.send_signal(signal.SIGINT)
        out, err = self.dtrace.communicate(timeout=20)
        harness.check(self.dtrace.returncode == 0, 'dtrace: %d %s', self.dtrace.returncode, err)
        return out, err


def stop_often(threads):
    seed = int(os.environ.get('STRESS_SEED', '0')) or int(time.time())
    random.seed(seed)
    with Attached('stopper', str(threads), program='pid$target:a.out:: { @ = count(); }',
                  first_line=False) as run:
        for n in range(100):
            time.sleep(random.random() * 0.008)  # any moment of its work
            # the thread that leaves a moved instruction for the one gets the other
            os.kill(run.target.pid, signal.SIGALRM)
            os.kill(run.target.pid, signal.SIGSTOP)
            harness.until(run.stays_stopped, 3, 'stop number %d of %d threads (seed %d)' % (
                n, threads, seed))
            os.kill(run.target.pid, signal.SIGCONT)
        run.stop_tracing()
        harness.check(run.target.poll() is None, 'it died: %s', run.target.returncode)


def job_control():
    """Stopped at any moment it stays stopped, with every instruction probed."""
    stop_often(1)
    stop_often(3)


def leaderless_exec():
    """A zombie leader when we come, an exec by another thread later."""
    with Attached('leaderless', program='pid$target:a.out:work:entry { @["n"] = count(); }'
                  ) as run:
        run.target.stdin.write('x')
        run.target.stdin.flush()
        harness.check(run.target.stdout.readline() == 'executed\n', 'it did not execute')
        harness.check(run.target.wait(5) == 0, 'status %d', run.target.returncode)
        out, err = run.dtrace.communicate(timeout=10)
        harness.check(harness.counts(out) == {'n': 1}, 'printed\n%s\n%s', out, err)
        harness.check('pid %d has exited' % run.target.pid in err, 'said %s', err)


def copied():
    """A piece of the program's file that is mapped once more is traced as well, and what is
    mapped after it is no code of that file."""
    for provider in 'pid', 'fpid':
        with Attached('copied', program='%s$target:a.out::entry { @[probefunc] = count(); } '
                      '%s$target:copied:twice:return { @["return"] = count(); }'
                      % (provider, provider)) as run:
            out, _ = run.target.communicate('x', timeout=10)
            harness.check(run.target.returncode == 0, 'status %d', run.target.returncode)
            harness.check(harness.truth(out)[0] == {'copied': 10, 'original': 5, 'changed': 0},
                          '%s: printed\n%s', provider, out)
            out, err = run.dtrace.communicate(timeout=10)
        harness.check(harness.counts(out) == {'twice': 15, 'thrice': 1, 'return': 15} and
                      'cannot' not in err, '%s: printed\n%s\n%s', provider, out, err)


def filtered():
    """A seccomp filter that kills for mmap, and for going on with calls that tracing has
    interrupted: probes all the same where it can be suspended, else a message that names it;
    and it lives on."""
    with Attached('filtered', '1', program='pid$target:a.out:work:entry { @["n"] = count(); }'
                  ) as run:
        harness.check(run.target.wait(20) == 0, 'status %d', run.target.returncode)
        out, err = run.dtrace.communicate(timeout=10)
    if 'seccomp' in err:
        harness.check(':work:' in err and not re.search('near it|BEGIN', err), 'said %s', err)
    else:
        harness.check(harness.counts(out).get('n', 0) > 100, 'printed\n%s\n%s', out, err)


def filtered_release():
    """It is left as it was found: no memory of ours stays, and the filter is in force."""
    with Attached('filtered', '5', program='pid$target:a.out:work:, proc::: { @ = count(); }'
                  ) as run:
        time.sleep(0.2)  # it works under the probes, if they could be set
        run.stop_tracing()
        with open('/proc/%d/maps' % run.target.pid, encoding='utf-8') as f:
            ours = [line for line in f if re.match(r'\S+ r-xp 0+ 00:00 0 *$', line)]
        harness.check(not ours, 'left behind: %s', ours)
        harness.check(run.target.poll() is None, 'it died: %s', run.target.returncode)


def filtered_listing():
    """The listing says why a confined program gets no jumps."""
    with subprocess.Popen([harness.target('filtered'), '20'], stdout=subprocess.PIPE,
                          text=True) as target:
        try:
            harness.check(target.stdout.readline() == 'ready\n', 'it did not start')
            result = harness.run([harness.DTRACE, '-l', '-v', '-n',
                                  'fpid$target:a.out:work:entry', '-p', str(target.pid)])
            harness.check(re.search(r'0x[0-9a-f]+ breakpoint: the process is confined by '
                                    r'seccomp', result.out), '%s', result)
            harness.check(target.poll() is None, 'it died: %s', target.returncode)
        finally:
            target.kill()


def interrupted():
    """A call that a signal interrupts is one call, whether it is restarted or made again."""
    result = harness.traced('pid$target:a.out:syscall_here: { @[probename] = count(); }',
                            harness.target('interrupted'))
    calls, _ = harness.truth(result.out)
    alone = harness.run([harness.target('interrupted')])
    harness.check(result.out.splitlines()[:-1] == alone.out.splitlines()[:-1], '%s', result)
    wrong = {name: n for name, n in harness.counts(result.data).items()
             if n != calls['syscall_here']}
    harness.check(not wrong, '%d calls, but %s', calls['syscall_here'], wrong)


def cut_by_samples():
    """A call that a sample interrupts does not end for that: neither by EINTR nor with a part,
    and a handler still ends it."""
    target = harness.target('cut') + ' 150'
    for program in ('profile-997 { @ = count(); }',
                    'profile-997, syscall:::entry, syscall:::return { @ = count(); }',
                    'profile-997, pid$target:a.out::entry { @ = count(); }'):
        result = harness.traced(program, target)
        harness.check(harness.target_status(result) == 0, '%s: %s', program, result)
        turns = dict(re.findall(r'^(\w+) turns (\d+)$', result.out, re.M))
        harness.check(len(turns) == 13 and '0' not in turns.values(), '%s: %s', program, turns)
        harness.check(int(result.data) > 20, '%s: fired %s', program, result.data)


def workers():
    """The kernel's own threads for io_uring are in the list of a process's threads, and come
    and go. They are left out."""
    for provider in 'pid', 'fpid':
        with subprocess.Popen([harness.target('workers')], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as target:
            try:
                ready = target.stdout.readline()
                if not ready:
                    raise harness.Skipped('no io_uring here')
                harness.check(ready == 'ready 3\n', 'no workers: %s', ready)
                follow_workers(target, provider)
            finally:
                target.kill()


def follow_workers(target, provider):
    with subprocess.Popen(
            [harness.DTRACE, '-q', '-x', 'switchrate=5ms', '-n', provider +
             '$target:a.out:work:entry, profile-97 { @[probename] = count(); } tick-20ms '
             '{ printf("%d\\n", n++); } END { printa("%s %@d\\n", @); }', '-p',
             str(target.pid)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as dtrace:
        try:
            for _ in range(20):
                if not dtrace.stdout.readline():
                    raise harness.Failure('dtrace ended: ' + dtrace.stderr.read())
                target.stdin.write('x')
                target.stdin.flush()
            dtrace.send_signal(signal.SIGINT)
            out, err = dtrace.communicate(timeout=20)
            hits = re.search(r'^entry (\d+)$', out, re.M)
            harness.check(dtrace.returncode == 0 and hits and int(hits[1]) > 10, '%s %s', out, err)
            harness.check(target.poll() is None, 'it died: %s', target.returncode)
        finally:
            dtrace.kill()


def dispatched():
    """Nothing is mapped into a program that gets its system calls itself, and which would get
    those of the tracer too; it keeps its handler."""
    for provider in 'pid', 'fpid':
        with Attached('dispatched', program=provider + '$target:a.out:work:entry { @ = count(); }'
                      ) as run:
            status = run.target.wait(20)
            err = run.dtrace.communicate(timeout=10)[1]
        if status == 77:
            raise harness.Skipped('this kernel has no PR_SET_SYSCALL_USER_DISPATCH')
        harness.check(status == 0, '%s: status %s: %s', provider, status, err)
        harness.check(re.search(':work:entry at 0x[0-9a-f]+: the process handles its system calls '
                                'itself', err), '%s: %s', provider, err)
        harness.check(err.count('cannot notice when') == 1, '%s: %s', provider, err)


def heirs():
    """Threads that are made just after a hit may use the CPUs that their makers may use, though
    the keeper narrows a maker's affinity for a moment."""
    for _ in range(3):
        result = harness.run([harness.DTRACE, '-n', 'pid$target:a.out:work:entry { @ = count(); }',
                              '-c', harness.target('heirs') + ' 400'])
        harness.check(result.status == 0 and 'narrow 0\n' in result.out, '%s', result)


def restartable():
    """Sites in restartable sequences are refused: a thread that is stopped there begins again,
    and one that runs a moved instruction of it has lost the kernel's protection."""
    why = 'it is in a restartable sequence, which a stop would restart'
    for provider in 'pid', 'fpid':
        result = harness.run([
            harness.DTRACE, '-n', provider + '$target:a.out:add: { @[probename] = count(); }',
            '-c', harness.target('restartable')])
        if 'exited with status 77' in result.err:
            raise harness.Skipped('the C library does not register threads for rseq(2)')
        counted = harness.counts(result.out)
        calls = harness.truth(result.out)[0]
        arm, end, trap, handler = (
            int(n, 16) for n in re.search('^at (.*)$', result.out, re.M)[1].split())
        inside = [name for name in counted if re.fullmatch('[0-9a-f]+', name) and
                  (arm <= int(name, 16) < end or trap <= int(name, 16) < handler)]
        harness.check(result.status == 0 and calls['lost'] == 0, '%s: %s', provider, result)
        harness.check(not inside, '%s: probes fire at %s', provider, inside)
        harness.check(counted['entry'] == counted['return'] == calls['add'],
                      '%s: %s, not %s', provider, counted, calls)
        harness.check(result.err.count(why) == 5 and '4 more sites cannot be traced' in result.err,
                      '%s: %s', provider, result.err)
    listed = harness.run([harness.DTRACE, '-lvn', 'fpid$target:a.out:add:', '-c',
                          harness.target('restartable')]).out
    harness.check(listed.count(' refused: ' + why) == 9, '%s', listed)


harness.main({'job_control': job_control, 'leaderless_exec': leaderless_exec,
              'copied': copied, 'filtered': filtered, 'filtered_release': filtered_release,
              'filtered_listing': filtered_listing,
              'interrupted': interrupted, 'workers': workers,
              'cut_by_samples': cut_by_samples, 'restartable': restartable,
              'dispatched': dispatched, 'heirs': heirs})
