#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Frames that are left without a return: each function is entered as often as it returns
and is unwound, but for what still runs at the end."""
import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
from attached import Attached, text_of, tracers  # noqa: E402

COUNT = ('pid$target:%(where)s:entry { @e[probemod, probefunc] = count(); } '
         'pid$target:%(where)s:return { @r[probemod, probefunc] = count(); } '
         'pid$target:%(where)s:unwound { @u[probemod, probefunc] = count(); '
         '@why[arg1] = count(); } ')
PRINT = ('END { printa("E %s %s %@d\\n", @e); printa("R %s %s %@d\\n", @r); '
         'printa("U %s %s %@d\\n", @u); printa("W %d %@d\\n", @why); }')

# Where a process ends: entered, and never left.
RUNNING = {'_start', '_start_c', 'main', '__libc_start_main', '__libc_start_call_main',
           'libc_start_main_stage2', 'exit', '__run_exit_handlers', '_exit', '_Exit',
           'wander', 'longjmp'}
# Ends each thread with a system call.
THREADS = 'start_thread'
# Functions jump into the middle of them; in the program of Rust main calls exit().
OTHERS = re.compile('mem(cpy|move|set)|_GLOBAL__|panics`_[RZ]')


def tallies(data):
    """{(object, function): [entries, returns, unwound]}"""
    found = {}
    for kind, module, function, n in re.findall(r'^([ERU]) (\S+) (\S+) (\d+)$', data, re.M):
        found.setdefault((module, function), [0, 0, 0])['ERU'.index(kind)] = int(n)
    return found


def reasons(data):
    return {int(why): int(n) for why, n in re.findall(r'^W (\d+) (\d+)$', data, re.M)}


def check_sums(found):
    for (module, function), (entries, returns, unwound) in found.items():
        running = entries - returns - unwound
        harness.check(running == 0 or (running == 1 and function in RUNNING) or
                      function == THREADS or OTHERS.search(module + '`' + function),
                      '%s`%s: %d entries, %d returns, %d unwound', module, function, entries,
                      returns, unwound)


def count(command, where='a.out:'):
    result = harness.traced(COUNT % {'where': where} + PRINT, command, ['-q'])
    found = tallies(result.data)
    check_sums(found)
    harness.check('do not fire unwound' not in result.err, '%s', result.err)
    return result, found


def truth(name, left):
    """A program that counts its calls and returns; left: so many functions are unwound."""
    result, found = count(harness.target(name))
    calls, returns = harness.truth(result.out)
    for function, n in calls.items():
        tally = found[name, function]
        unwound = n - returns.get(function, n)
        harness.check(tally == [n, n - unwound, unwound], '%s: %s, not %d calls, %d unwound',
                      function, tally, n, unwound)
    harness.check(sum(found[name, f][2] > 0 for f in calls) == left, '%s', result.data)
    return '%d unwound' % sum(t[2] for t in found.values())


def unwinds():
    result, found = count(harness.target('unwinds'))
    calls, returns = harness.truth(result.out)
    for function, n in calls.items():
        harness.check(found['unwinds', function] == [n, returns[function], n - returns[function]],
                      '%s: %s', function, found['unwinds', function])
    why = reasons(result.data)
    # three of the threads end themselves in last() and ender(); one is cancelled
    harness.check(why[2] == 3 * 2 + 1 and why[0] > 200 and why[1] > 200, '%s', why)
    # it jumped to another stack: it could go on
    harness.check(found['unwinds', 'wander'] == [1, 0, 0], '%s', found['unwinds', 'wander'])
    # a signal came at any instruction
    harness.check(found['unwinds', 'busy'][2] == 5, '%s', found['unwinds', 'busy'])


def llvm():
    """The same by LLVM's libunwind, but for the ends of threads."""
    result, found = count(harness.target('unwinds_llvm') + ' alone')
    calls, returns = harness.truth(result.out)
    for function, n in calls.items():
        harness.check(found.get(('unwinds_llvm', function), [0, 0, 0]) ==
                      [n, returns[function], n - returns[function]],
                      '%s: %s', function, found.get(('unwinds_llvm', function)))
    why = reasons(result.data)
    harness.check(why[0] > 40 and why[1] > 20 and 2 not in why, '%s', why)
    result = harness.traced(COUNT % {'where': 'libunwind.so.1:_Unwind_R*'} + PRINT,
                            harness.target('unwinds_llvm') + ' alone', ['-qZ'])
    own = {f: t for (_, f), t in tallies(result.data).items()}
    harness.check(own['_Unwind_RaiseException'][0] == own['_Unwind_RaiseException'][2] > 50,
                  '%s', own)


def inline_jump():
    """__builtin_longjmp(), as compilers have it, whose function returns by its jump. Another
    way is not seen: a line says so."""
    result = harness.traced(COUNT % {'where': 'a.out:'} + PRINT, harness.target('leaps'), ['-Z'])
    found = tallies(result.data)
    harness.check({f: found['leaps', f] for f in ('leap', 'middle', 'early', 'middle_early')} ==
                  {'leap': [10, 10, 0], 'middle': [10, 5, 5], 'early': [5, 5, 0],
                   'middle_early': [10, 5, 5]} and reasons(result.data) == {1: 10}, '%s', result)
    check_sums(found)
    harness.check(re.findall(r"'leaps' has a longjmp\(\) without a call in (\w+)\(\): frames that "
                             'are left by it do not fire unwound', result.err) == ['odd'], '%s',
                  result)


def static():
    """libgcc, glibc and libstdc++ are in the program: with their own functions."""
    where = [''] if harness.PROVIDER == 'fpid' else [
        # a stop for each event of all functions takes long
        '*longjmp*', '_Unwind_R*', '__cxa_*throw', 'pthread_exit', 'thrower', 'within', 'deeper',
        'handler', 'ender']
    program = ''.join(COUNT % {'where': 'a.out:' + function} for function in where)
    result = harness.traced(program + PRINT, harness.target('unwinds_static'), ['-qZ'])
    found = tallies(result.data)
    check_sums(found)
    for function in '__cxa_throw', 'within', 'ender', 'deeper', 'handler':
        harness.check(found['unwinds_static', function][2] > 0, 'no %s: %s', function, result.data)
    # it goes on with another frame by its own last jump, but four threads end in it
    resumed = found['unwinds_static', '_Unwind_Resume']
    harness.check(resumed[1] > 100 and resumed[2] == 4, '%s', resumed)
    return '%d functions' % len(found)


def libraries():
    """Frames of libraries are left as well: those that throw, qsort()."""
    where = 'libstdc*:__cxa_*throw'
    result = harness.traced(COUNT % {'where': where} + COUNT % {'where': 'libc:qsort*'} +
                            COUNT % {'where': 'libc:*longjmp'} + PRINT,
                            harness.target('unwinds'), ['-qZ'])
    found = {f: t for (_, f), t in tallies(result.data).items()}
    harness.check(found['__cxa_throw'][0] == found['__cxa_throw'][2] > 100, '%s', found)
    harness.check(found['__cxa_rethrow'][0] == found['__cxa_rethrow'][2] > 10, '%s', found)
    harness.check(found['qsort_r'][2] > 5, '%s', found)
    # one came from another stack, where its frame still is
    harness.check(any('longjmp' in f and t[0] - 1 == t[2] > 20 for f, t in found.items()), '%s',
                  found)


def plugin():
    """C++ comes into a C program with a library, and goes with it."""
    command = '%s %s 3' % (harness.target('loader'), harness.target('unwinds_plugin.so'))
    result = harness.traced(COUNT % {'where': 'unwinds_plugin.so:'} + PRINT, command, ['-qZ'])
    found = {f: t for (_, f), t in tallies(result.data).items()}
    harness.check(found['hurl'] == [30, 15, 15] and found['bounce'] == [30, 15, 15] and
                  found['plugged'] == [30, 30, 0], '%s', result)


def fork():
    command = harness.target('unwinds') + ' fork'
    result = harness.traced(COUNT % {'where': 'a.out:'} + PRINT, command, ['-qx', 'follow'])
    found = tallies(result.data)
    check_sums({key: tally for key, tally in found.items() if key[1] not in RUNNING})
    calls, returns = harness.truth(result.out)  # of either
    for function, n in calls.items():
        harness.check(found['unwinds', function][::2] == [2 * n, 2 * (n - returns[function])],
                      '%s: %s', function, found['unwinds', function])


def coroutines():
    """A program that changes stacks leaves no frame."""
    result = harness.traced(COUNT % {'where': '*:'} + PRINT, harness.target('context'), ['-q'])
    harness.check(not re.search('^U', result.data, re.M), '%s', result)


class Gate:
    """The program; it does some turns when it is told to."""

    def __init__(self):
        self.process = subprocess.Popen([harness.target('unwinds'), 'gate'], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.pid = self.process.pid
        self.turns = 0
        self.hear('ready')
        self.before = text_of(self.pid)

    def __enter__(self):
        return self

    def hear(self, what):
        line = self.process.stdout.readline()
        harness.check(line == what + '\n', 'it says %r, not %s', line, what)

    def tell(self):
        self.turns += 1
        self.process.stdin.write('\n')
        self.process.stdin.flush()

    def work(self):
        self.tell()
        self.hear('done')

    def check_end(self):
        """It prints what it does untraced."""
        out = self.process.communicate()[0]
        alone = subprocess.run([harness.target('unwinds'), 'gate'], text=True, check=True,
                               input='\n' * self.turns, stdout=subprocess.PIPE).stdout
        harness.check(out == alone.replace('ready\n', '').replace('done\n', ''),
                      'it printed\n%s\nnot\n%s', out, alone)
        harness.check(self.process.returncode == 0, 'it ended with %d', self.process.returncode)

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


SOME = ''.join(COUNT % {'where': 'a.out:' + f} for f in ('within', 'deeper', 'interrupted')) + PRINT


def attached():
    with Gate() as gate:
        gate.work()
        with Attached([gate.pid], SOME, ['-q']) as dtrace:
            gate.work()
            gate.work()
            dtrace.end()
        found = tallies(dtrace.out)
        check_sums(found)
        harness.check(len(found) == 3 and all(t[2] for t in found.values()), '%s', found)
        gate.work()
        gate.check_end()


def killed(whom):
    """Text is as before, and the program goes on. dtrace is killed while frames are left."""
    with Gate() as gate:
        with Attached([gate.pid], SOME, ['-q']) as dtrace:
            gate.work()
            if whom == 'dtrace':
                gate.tell()
                dtrace.process.kill()
            else:  # a thread that comes to a breakpoint without a tracer dies
                os.kill(tracers(gate.pid).pop(), signal.SIGKILL)
            dtrace.out, dtrace.err = dtrace.process.communicate(timeout=20)
            harness.until(lambda: not tracers(gate.pid), 10, 'the end of tracing')
        if whom == 'dtrace':
            gate.hear('done')
        after = text_of(gate.pid)
        # resident code may stay
        harness.check(all(after.get(where) == text for where, text in gate.before.items()),
                      'text differs')
        gate.work()
        gate.check_end()


def target_killed():
    """While it leaves frames."""
    with Gate() as gate:
        with Attached([gate.pid], SOME, ['-q']) as dtrace:
            for _ in range(20):
                gate.tell()
            gate.hear('done')
            gate.process.kill()
            dtrace.out, dtrace.err = dtrace.process.communicate(timeout=20)
            harness.check(dtrace.process.returncode == 0, '%s', dtrace.err)


CASES = {'unwinds': unwinds, 'llvm': llvm, 'inline_jump': inline_jump, 'static': static, 'libraries': libraries, 'plugin': plugin, 'fork': fork,
         'coroutines': coroutines, 'attached': attached, 'dtrace_killed': lambda: killed('dtrace'),
         'keeper_killed': lambda: killed('keeper'), 'target_killed': target_killed}
for program_name, functions in (('jump', 2), ('throwing', 4), ('jump_musl', 2), ('panics', 2)):
    CASES[program_name] = lambda name=program_name, n=functions: truth(name, n)

if __name__ == '__main__':
    harness.main(CASES)
