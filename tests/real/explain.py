#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--explain: the code of a site is what it was, what it is, and what its stub does."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import attached  # noqa: E402
import harness  # noqa: E402

LINE = re.compile(r'    0x([0-9a-f]+) +((?: [0-9a-f]{2})+)(?:  (.*))?$')
COUNT = ' { @[probefunc] = count(); }'


class Site:
    """One site: its head, and the lines of each part as (address, bytes, text, note)."""

    def __init__(self, text):
        self.probe, self.head, *rest = text.splitlines()
        self.parts, self.clauses, lines = {}, None, []
        for line in rest:
            found = LINE.match(line)
            if found:
                text, _, note = (found.group(3) or '').partition(';')
                lines.append((int(found.group(1), 16), bytes.fromhex(found.group(2)),
                              re.sub(r'\s+', ' ', text).strip(), note.strip()))
            elif line.startswith('  clauses '):
                self.clauses = [int(n) for n in line.split()[1:]]
            else:
                lines = self.parts[line.strip()] = []

    def at(self, part, note):
        found = [line for line in self.parts[part] if line[3] == note]
        harness.check(len(found) == 1, '%s: %d lines are %r: %s', self.probe, len(found), note,
                      self.parts)
        return found[0]


def explain(program, *target):
    result = harness.run([harness.DTRACE, '--explain', program, *target])
    harness.check(result.status == 0, '%s', result)
    sites, _, clauses = result.out.rpartition('\n\n')
    return [Site(text) for text in sites.split('\n\n')], clauses, result


def target_of(line):
    return int(line[2].split()[-1], 16)


def check_moved(site):
    """Each instruction of the stub that is said to be moved was where it is said."""
    before = {line[0]: line for line in site.parts['before']}
    moved = 0
    for _, code, text, note in site.parts['stub']:
        if note.startswith('moved from '):
            was = before[int(note.split()[-1], 16)]
            # a call pushes the return address that it always had
            harness.check(code == was[1] or text.split()[0] == was[2].split()[0] or
                          was[1][0] == 0xe8, '%s: %r is not %r', site.probe, text, was)
            moved += 1
    return moved


def check_site(site, tactic):
    """From the function to the stub, and back."""
    harness.check(site.head.endswith(': ' + tactic), '%s: %s', site.probe, site.head)
    if tactic == 'chained jumps':
        if len(site.parts['after']) > 2:  # else the last one found room alone
            check_chain(site)
            harness.check(check_moved(site), '%s', site.parts)
        return
    first = site.parts['after'][0]
    opcode = {'short jump': 0xeb, 'retargeted call': 0xe8}.get(tactic, 0xe9)
    harness.check(first[1][0] == opcode, '%s: %s', site.probe, first)
    if 'island' in first[3]:
        island = site.at('after', 'the island')
        harness.check(target_of(first) == island[0], '%s: %s', site.probe, site.parts)
        first = island
    harness.check(target_of(first) == site.parts['stub'][0][0], '%s: %s', site.probe, site.parts)
    site.at('stub', 'to resident code, which runs the clauses')
    if tactic == 'retargeted call':
        call = site.parts['before'][-1]
        harness.check(target_of(site.at('stub', 'back to the program')) == target_of(call),
                      '%s: %s', site.probe, site.parts)
    else:
        harness.check(check_moved(site), '%s: nothing moves: %s', site.probe, site.parts)


def one_by(tactic, program):
    """FUNCTION:NAME of a probe that has one site, served by the tactic."""
    result = harness.run([harness.DTRACE, '-lv', '-n', program, '-c', harness.target('tail')])
    for probe in re.split(r'\n(?= *\d+ +fpid)', result.out):
        if re.search(r'Sites\n.*%s\s*$' % tactic, probe):
            return ':'.join(probe.splitlines()[0].split()[2:])
    raise harness.Failure('no %s:\n%s' % (tactic, result))


def check_chain(site):
    """Each of the jumps that overlap leads to a jump into the stub."""
    jumps = [line for line in site.parts['after'] if line[3] == 'one of jumps that overlap']
    landings = [line for line in site.parts['after'] if line[3] == 'where it leads to']
    harness.check(len(jumps) > 1 and [target_of(j) for j in jumps] == [x[0] for x in landings],
                  '%s: %s', site.probe, site.parts)
    stub = {line[0] for line in site.parts['stub']}
    harness.check(all(target_of(x) in stub for x in landings), '%s: %s', site.probe, site.parts)


# The program, the probe, the tactic of its site.
TACTICS = [
    ('punned', 'punned:entry', 'jump'),
    ('punned', 'punned:return', 'punned jump'),
    ('tail', 'fpid$target:a.out:main:', 'retargeted call'),
    ('tail', 'fpid$target:libc::return', 'chained jumps'),
]


def tactics():
    for name, probe, tactic in TACTICS:
        probe = one_by(tactic, probe) if '$' in probe else 'a.out:' + probe
        sites, clauses, result = explain('fpid$target:' + probe + COUNT, '-c',
                                         harness.target(name))
        found = [s for s in sites if s.head.endswith(': ' + tactic)]
        harness.check(found, '%s of %s has no %s: %s', probe, name, tactic, result)
        check_site(found[0], tactic)
        harness.check(found[0].clauses == [0] and clauses.startswith('clause 0 ') and
                      'aggr' in clauses, '%s', result)


def routines():
    """The machine code that runs instead of the clauses; two sites share it."""
    program = 'fpid$target:a.out:buy:entry,fpid$target:a.out:find:entry {@ = sum(arg0);}'
    _, _, result = explain(program, '-c', harness.target('shop'))
    named = re.findall(r'^  routine (0x[0-9a-f]+)$', result.out, re.M)
    harness.check(len(named) == 2 and named[0] == named[1], '%s', result)
    code = result.out.partition('\nroutine %s\n' % named[0])[2]
    code = code.partition('\nlight ')[0].splitlines()
    lines = [LINE.match(line) for line in code]
    harness.check(len(lines) > 5 and all(lines) and lines[-1].group(3).strip() == 'retq', '%s', result)
    named = re.findall(r'^  light routine (0x[0-9a-f]+)$', result.out, re.M)
    harness.check(len(named) == 2 and named[0] == named[1], '%s', result)
    code = result.out.partition('\nlight routine %s\n' % named[0])[2].splitlines()
    lines = [LINE.match(line) for line in code]
    harness.check(len(lines) > 5 and all(lines), '%s', result)
    code = [line.group(3).strip() for line in lines]
    # the flags first; its two ends jump; it calls nothing and has no stack
    harness.check(code[0] == 'lahf' and code[-1].split() == ['jmpq', '*%rcx'] and
                  code.count(code[-1]) == 2 and
                  not re.search(r'^(call|push|pop|ret)|%[er]sp', '\n'.join(code), re.M),
                  '%s', result)
    # records have routines as well; strings of the program's memory have none
    records = program.replace('@ = sum(arg0)', 'trace(arg0)')
    strings = program.replace('@ = sum(arg0)', 'trace(copyinstr(arg0))')
    filtered = strings.replace('{', '/arg0 == 1/ {')  # a predicate that spares the rest
    for text, options, routines, light in [(records, [], 2, 2), (strings, [], 0, 0),
                                           (filtered, [], 0, 2),
                                           (program, ['-x', 'native=off'], 0, 0)]:
        _, _, result = explain(text, '-c', harness.target('shop'), *options)
        found = [len(re.findall('^  %sroutine' % kind, result.out, re.M))
                 for kind in ('', 'light ')]
        harness.check(found == [routines, light], '%s: %s\n%s', text, found, result)


def breakpoints():
    sites, _, result = explain('pid$target:a.out:buy:entry,pid$target:a.out:buy:entry', '-c',
                               harness.target('shop'))
    harness.check(len(sites) == 1, '%s', result)
    site = sites[0]
    harness.check('breakpoint: its provider takes no jumps' in site.head, '%s', site.head)
    was, now = site.at('before', 'the site'), site.parts['after'][0]
    harness.check(now[:2] == (was[0], b'\xcc') and 'stub' not in site.parts, '%s', result)
    harness.check(site.clauses == [0, 0], '%s', result)
    sites, _, result = explain('fpid$target:a.out:buy:entry { @[cwd] = count(); }', '-c',
                               harness.target('shop'))
    harness.check(sites[0].head.endswith('breakpoint: a clause needs what only the keeper knows'),
                  '%s', result)


def siteless():
    sites, clauses, result = explain('syscall::open:entry, tick-1s { trace(pid); }', '-c',
                                     harness.target('shop'))
    heads = [site.head for site in sites]
    harness.check(len(heads) == 2 and 'the keeper fires it' in heads[0] and
                  'a clock of dtrace' in heads[1], '%s', result)
    harness.check('trace#0' in clauses, '%s', result)


def running():
    """Nothing fires, and afterwards the process is as it was."""
    with attached.Gate([harness.target('gate')]) as gate:
        before = attached.text_of(gate.pid)
        sites, _, result = explain('BEGIN { trace("began"); } END { trace("ended"); } '
                                   'fpid$target:a.out:work:entry { trace("fired"); }',
                                   '-p', str(gate.pid))
        check_site(sites[0], 'jump')
        for word in 'began', 'ended', 'fired':
            harness.check(not re.search(r'^ .* ' + word, result.out, re.M), '%s', result)
        address, code = sites[0].parts['before'][0][:2]
        text = next(t for line, t in before.items()
                    if int(line.split('-')[0], 16) <= address < int(line[13:25], 16))
        harness.check(code in text, '%s is not in the program', code)
        attached.check_free(gate.pid, before)
        gate.work(3, 'same')
        gate.end()


def names():
    """A function's name cannot reach the terminal."""
    with tempfile.TemporaryDirectory(prefix='explain-') as folder:
        path = os.path.join(folder, 'pla\033[7min')
        subprocess.run([harness.installed('objcopy'), '--redefine-sym',
                        'alpha=alpha\033]0;pwned\a', harness.target('plain'), path], check=True)
        _, _, result = explain('fpid$target::alpha*:entry', '-c', "'%s'" % path)
        harness.check('\033' not in result.out and '\a' not in result.out, '%r', result.out)
        harness.check(r'alpha\033]0;pwned\007' in result.out, '%r', result.out)


def many():
    """A description of many sites."""
    sites, _, result = explain('fpid$target:libc::entry', '-c', harness.target('plain'))
    harness.check(len(sites) == 16, '%d sites', len(sites))
    harness.check(re.search(r'dtrace: \d{3,} more probe sites are not shown: name fewer',
                            result.err), '%s', result)
    for site in sites:
        harness.check('before' in site.parts and 'after' in site.parts, '%s', site.head)
        if 'stub' in site.parts:
            check_site(site, site.head.rpartition(': ')[2])


def unmatched():
    result = harness.run([harness.DTRACE, '--explain', 'fpid$target:a.out:nosuch:entry', '-c',
                          harness.target('plain')])
    harness.check(result.status == 1 and not result.out and 'nosuch' in result.err, '%s', result)


harness.main({'tactics': tactics, 'routines': routines, 'breakpoints': breakpoints, 'siteless': siteless,
              'running': running, 'names': names, 'many': many, 'unmatched': unmatched})
