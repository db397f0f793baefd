#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What clauses see: arguments, results, every instruction, times."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402

ARGUMENTS = r'''
pid$target:a.out:six:entry {
	printf("six %d %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4, arg5);
}
pid$target:a.out:ten:entry {
	printf("ten %d %d %d %d %d %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4, arg5,
	    arg6, arg7, arg8, arg9);
}
pid$target:a.out:narrow:entry {
	printf("narrow %d %d %d\n", (int)arg0, (unsigned char)arg1, (short)arg2);
}
pid$target:a.out:text:entry { printf("text %s\n", copyinstr(arg0)); }
pid$target:a.out:two:entry { printf("two %d\n", arg0); }
pid$target:a.out:six:return,
pid$target:a.out:ten:return { printf("return %s %d\n", probefunc, arg1); }
pid$target:a.out:narrow:return { printf("return narrow %d\n", (int)arg1); }
pid$target:a.out:text:return { printf("return text %s\n", copyinstr(arg1)); }
pid$target:a.out:two:return { printf("return two %d %d\n", arg1, arg2); }
'''

EVERYTHING = 'pid$target:a.out:%s: {@[probename] = count();}'

TIMES = r'''
pid$target:a.out:work:entry { self->ts = timestamp; }
pid$target:a.out:work:return /self->ts/ {
	@times = quantize(timestamp - self->ts);
	@n = count();
	@negative = sum(timestamp < self->ts);
	self->ts = 0;
}
END { printa("n %@d\n", @n); printa("negative %@d\n", @negative); printa(@times); }
'''


# Of one clause, and of several with effects before their records.
RECORDS = r'''
pid$target:a.out:work:entry { printf("%s of %s, %d then\n", probename, probefunc, 1); }
pid$target:a.out:work:entry { @entries = count(); }
pid$target:a.out:work:return { self->n++; @returns = sum(self->n); }
pid$target:a.out:work:return {
	printf("%s of %s, %d then\n", probename, probefunc, self->n);
}
END { printa("entry %@d\n", @entries); printa("return %@d\n", @returns); }
'''


# A microsecond: a clock that is wrong is so by more, and one that is right by a few ns. One
# clause a probe, so that fpid reads the clock in light routines. All of a firing is one time.
CLOCKS = [r'''
pid$target:a.out:when:entry {
	@ = sum(1000000 + ((timestamp + 1000 < arg0) | (timestamp != timestamp)));
}
''', r'''
pid$target:a.out:when:return { self->last = timestamp; }
pid$target:a.out:when:entry { @ = sum(1000000 + (self->last > arg0 + 1000)); }
''']


def arguments():
    """arg0 to arg9, narrow ones, strings, results in one and two registers."""
    result = harness.traced(ARGUMENTS, harness.target('args'), ['-q'])
    seen = result.data.rstrip('\n')
    said = result.out.rstrip('\n')
    harness.check(seen == said, 'dtrace saw\n%s\nbut the program says\n%s', seen, said)
    return '%d lines' % len(said.splitlines())


def offsets_of(path, function):
    """{offset in hex} of the instructions of a function, as objdump sees them."""
    text = subprocess.run(['objdump', '-d', '--no-show-raw-insn', '--disassemble=' + function,
                           path], capture_output=True, text=True, check=True).stdout
    addresses = [int(a, 16) for a in re.findall(r'^\s*([0-9a-f]+):\t', text, re.M)]
    return {'%x' % (a - addresses[0]) for a in addresses}


def every_instruction(name, function='main'):
    """Each instruction is a probe of its own; the program goes on as ever."""
    path = harness.target(name)
    alone = harness.run([path])
    result = harness.traced(EVERYTHING % function, path)
    steady = name != 'alarm'
    harness.check(not steady or result.out == alone.out, 'the program printed\n%s',
                  result.out)
    harness.check(harness.target_status(result) == alone.status, '%s', result)
    boundaries = offsets_of(path, function)
    counted = harness.counts(result.data)
    harness.check(counted.get('entry', 0) >= 1 and counted['entry'] == counted.get('0'),
                  'entry %s, offset 0 %s', counted.get('entry'), counted.get('0'))
    # what lies after the function's main part belongs to its .cold part
    end = max(int(offset, 16) for offset in boundaries)
    stray = {offset for offset in set(counted) - boundaries - {'entry', 'return'}
             if not offset.startswith('-') and int(offset, 16) < end}
    harness.check(not stray, 'probes inside instructions: %s', sorted(stray))
    # one probe an instruction (the function may have a .cold part), entry, return
    harness.check(harness.matched(result) >= len(boundaries) + 1,
                  '%d probes for %d instructions', harness.matched(result), len(boundaries))
    return '%d probes, %d hits' % (len(counted), sum(counted.values()))


def exact_instructions():
    """A function without branches: each of its probes fires as often as it is called."""
    result = harness.traced(EVERYTHING % 'tiny_push_pop', harness.target('tiny'))
    expected = {'entry': 200, '0': 200, '1': 200, '2': 200, 'return': 200}
    counted = harness.counts(result.data)
    harness.check(counted == expected, 'counted %s', counted)


def exact_faults():
    """An instruction that faults, and that a handler then skips, is an event each time."""
    for function in ('divide', 'load', 'store'):
        result = harness.traced(EVERYTHING % function, harness.target('faulty'))
        counted = harness.counts(result.data)
        harness.check(len(counted) >= 5 and set(counted.values()) == {100}, '%s: counted %s',
                      function, counted)


def histogram_total(data):
    return sum(int(n) for n in re.findall(r'^ +-?\d+ \|[@ ]{40} (\d+) *$', data, re.M))


def times(name, mode):
    result = harness.traced(TIMES, harness.target(name), ['-q'] + mode, timeout=100)
    calls, _ = harness.truth(result.out)
    n = re.search(r'^n (\d+)$', result.data, re.M)
    harness.check(n and int(n.group(1)) == calls['work'], 'the clause ran %s times, not %d',
                  n and n.group(1), calls['work'])
    harness.check('negative 0\n' in result.data, 'time ran backwards:\n%s', result.data)
    total = histogram_total(result.data)
    harness.check(total == calls['work'], 'the histogram holds %d of %d:\n%s', total,
                  calls['work'], result.data)


def records(name, mode):
    """No record is lost, torn or written twice, by whichever thread and way of firing."""
    result = harness.traced(RECORDS, harness.target(name), ['-q', '-x', 'bufsize=64m'] + mode,
                            timeout=100)
    calls, _ = harness.truth(result.out)
    for kind in ('entry', 'return'):
        numbers = [int(n) for n in re.findall(r'^%s of work, (\d+) then$' % kind, result.data,
                                              re.M)]
        harness.check(len(numbers) == calls['work'] and result.data.count('work') ==
                      2 * calls['work'], '%d %s of %d', len(numbers), kind, calls['work'])
        n = re.search(r'^%s (\d+)$' % kind, result.data, re.M)
        harness.check(n and sum(numbers) == int(n.group(1)), '%s: %s in all, not %s',
                      kind, sum(numbers), n and n.group(1))


def same_clock(mode):
    """timestamp is CLOCK_MONOTONIC as the program reads it, but for its resolution: never
    before what was read earlier, never after what is read later."""
    for script in CLOCKS:
        result = harness.traced(script, harness.target('clockwork'), mode, timeout=100)
        calls, _ = harness.truth(result.out)
        harness.check(result.data.split() == [str(calls['when'] * 1000000)], '%s', result)


def predicates(mode):
    """A predicate on an argument selects exactly its calls."""
    result = harness.traced('pid$target:a.out:alpha:entry /arg0 % 5 == 0/ {@["x"] = count();} '
                            'pid$target:a.out:alpha:entry /arg0 % 5 != 0/ {@["y"] = count();}',
                            harness.target('plain'), mode)
    seen = harness.counts(result.data)
    alpha = [i for b in range(500) for i in (b, 2 * b)] + \
            [i for n in range(100) for i in range(n)]
    expected = {'x': sum(v % 5 == 0 for v in alpha), 'y': sum(v % 5 != 0 for v in alpha)}
    harness.check(seen == expected, 'counted %s instead of %s', seen, expected)


def globals_and_sums(mode):
    """Thread-shared arithmetic of a single-threaded program is exact."""
    result = harness.traced('pid$target:a.out:alpha:entry { total += arg0; n++; @s = sum(arg0); '
                            '@m["max"] = max(arg0); @l["min"] = min(arg0); } '
                            'END { printf("total %d n %d\\n", total, n); '
                            'printa("sum %@d\\n", @s); }',
                            harness.target('plain'), ['-q'] + mode)
    alpha = [i for b in range(500) for i in (b, 2 * b)] + \
            [i for n in range(100) for i in range(n)]
    lines = 'total %d n %d\nsum %d\n' % (sum(alpha), len(alpha), sum(alpha))
    harness.check(lines in result.data, 'expected\n%sgot\n%s', lines, result.data)
    extremes = harness.counts(result.data)
    harness.check(extremes == {'max': max(alpha), 'min': min(alpha)}, 'got %s', extremes)


LIGHT = '''
pid$target:a.out:alpha:entry /arg0 %% 5 == 0/ { printf("alpha %%d\\n", arg0); }
pid$target:a.out:alpha:return { @sum = sum(arg1); @offset["offset"] = max(arg0); }
pid$target:a.out:beta:entry { @beta[arg0 & 3] = count(); }
pid$target:a.out:beta:return { self->n++; }
pid$target:a.out:loop:entry { n = self->n; loops++; }
pid$target:a.out:gamma_once:entry { first++; }
pid$target:a.out:gamma_once:0 { second += 10; }
END { printf("%%d %%d %%d %%d\\n", n, loops, first, second); printa("sum %%@d\\n", @sum); }
'''.replace('%%', '%')


def light(mode):
    """Each site has one clause, or two probes have the same site."""
    result = harness.traced(LIGHT, harness.target('plain'), ['-q'] + mode)
    alpha = [i for b in range(500) for i in (b, 2 * b)] + \
            [i for n in range(100) for i in range(n)]
    printed = re.findall(r'^alpha (\d+)$', result.data, re.M)
    harness.check(sorted(map(int, printed)) == sorted(v for v in alpha if v % 5 == 0),
                  '%d alphas:\n%s', len(printed), result.data)
    lines = '500 100 1 10\nsum %d\n' % (sum(alpha) + len(alpha))
    harness.check(lines in result.data, 'expected\n%sgot\n%s', lines, result.data)
    keys = re.findall(r'^ +(\d) +125$', result.data, re.M)
    harness.check(harness.counts(result.data)['offset'] > 0 and keys == list('0123'),
                  'got\n%s', result.data)


def own_code():
    """A clause that reads thousands of bytes of probed code finds those of the file."""
    size = 1600 if harness.is_small() else 16000
    result = harness.traced('pid$target:libc.so.6::entry, pid$target:libc.so.6::return { n++; } '
                            'pid$target:libc.so.6:exit:entry '
                            '{ tracemem(copyin(uregs[R_PC] - %d, %d), %d); }' % (
                                size // 2, size, size),
                            harness.target('plain'), ['-q'])
    read = bytes.fromhex(''.join(re.findall(r'^ *[0-9a-f]+: ((?:[0-9a-f]{2} ){1,16})',
                                            result.data, re.M)))
    harness.check(len(read) == size, '%s bytes were read:\n%s', len(read), result)
    with open('/proc/self/maps', encoding='utf-8') as maps:
        libc = re.search(r'/\S*libc\.so\.6', maps.read()).group()
    with open(libc, 'rb') as f:
        content = f.read()
    harness.check(read in content, 'this is not what %s has:\n%s', libc, result.data)
    return '%d bytes' % len(read)


def exit_leaves_target():
    """exit() ends tracing, and nothing of it is left on the target's output."""
    result = harness.traced('pid$target:a.out:beta:entry { @["n"] = count(); } '
                            'pid$target:a.out:beta:entry /++n == 10/ { exit(0); }',
                            harness.target('plain'))
    harness.check(harness.counts(result.data) == {'n': 10}, 'got\n%s', result.data)


def in_each_mode(case, *args):
    """The clauses of fpid as machine code, then interpreted."""
    case(*args, [])
    if harness.PROVIDER == 'fpid':
        case(*args, ['-x', 'native=off'])


CASES = {'arguments': arguments, 'exact_instructions': exact_instructions, 'exact_faults': exact_faults,
         'predicates': lambda: in_each_mode(predicates),
         'globals_and_sums': lambda: in_each_mode(globals_and_sums),
         'light': lambda: in_each_mode(light),
         'exit': exit_leaves_target, 'own_code': own_code,
         'same_clock': lambda: in_each_mode(same_clock),
         'records_threads': lambda: in_each_mode(records, 'threads'),
         'records_forker': lambda: in_each_mode(records, 'forker'),
         'times_threads': lambda: in_each_mode(times, 'threads'),
         'times_forker': lambda: in_each_mode(times, 'forker')}
for target_name in ('once', 'plain', 'plain_O0', 'tiny', 'args', 'tail', 'switcher', 'forker',
                    'jump', 'context', 'sigtrap', 'throwing', 'faulty', 'pooled'):
    CASES['instructions_' + target_name] = lambda name=target_name: every_instruction(name)
for target_name, f in (('switcher', 'dispatch'), ('tail', 'coldly'), ('jump', 'attempt'),
                       ('threads', 'work'), ('alarm', 'on_alarm'), ('recurse', 'fib'),
                       ('goroutines', 'main.failing'), ('pooled', 'pooled'),
                       ('computed', 'duff'), ('computed', 'narrow'), ('computed', 'apart'),
                       ('computed', 'increments'), ('computed', 'made'),
                       ('computed', 'labels')):
    CASES['instructions_%s_%s' % (target_name, f)] = \
        lambda name=target_name, function=f: every_instruction(name, function)

harness.main(CASES)
