#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The examples of the manual and of the tutorial do what they say.

A block of a manual page that begins like a D program is one, which traces the kitchen of
samples/. A command of the section EXAMPLES of dtrace(1), and each command of
samples/README.md, is run if it traces the kitchen or asks only for the compiler.

A command of samples/README.md has its output in the fenced blocks after it, up to the next
command or heading:

  ```text           exactly these lines
  ```text about     numbers, the bars of histograms and the width of blanks may differ

A line `...` stands for any number of lines. The line of the kitchen itself is left out, and
blanks at the ends of lines are not compared.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import harness  # noqa: E402
import tracefs  # noqa: E402

TOP = os.path.join(HERE, '../..')
PAGES = os.path.join(TOP, 'cmd/man')
PROGRAM = re.compile(r'#pragma D|[a-z]+(\$target)?:\S|inline ')
SHOWN_FAULTS = re.compile(r'error on enabled probe|invalid |failed to ')


def read(*path):
    with open(os.path.join(*path), encoding='utf-8') as f:
        return f.read()


def blocks(text):
    """The displays of a page as a reader sees them."""
    for block in re.findall(r'^\.Bd -literal.*?\n(.*?)^\.Ed', text, re.S | re.M):
        yield block.replace('\\&', '').replace('\\e', '\\')


def kitchen():
    return os.path.join(os.environ['BUILD'], 'samples', 'kitchen')


def is_right(result, what):
    harness.check(result.status == 0 and not SHOWN_FAULTS.search(result.err), '%s\n%s', what,
                  result)


def programs(page):
    """Each D program of a page compiles, runs to the end and makes no fault. Those of the
    kernel's events run where they can be had; a note says where not."""
    note = None
    found = [block for block in blocks(read(PAGES, page)) if PROGRAM.match(block)]
    harness.check(len(found) >= 5, '%s has only %d programs', page, len(found))
    for block in found:
        command = [harness.DTRACE, '-w', '-n', block, '-c', kitchen()]
        try:
            if re.match('(sdt|sched|io|tcp|cpc):', block):
                command = tracefs.command(command)
        except harness.Skipped as reason:
            note = 'without %s...: %s' % (block.split()[0], reason)
            continue
        is_right(harness.run(command), block)
    return note


def run_command(text):
    text = text.replace('build/samples/kitchen', kitchen())
    # $! may not have executed the kitchen yet
    text = text.replace('& dtrace', '& until [ /proc/$!/exe -ef %s ]; do :; done; dtrace' % kitchen())
    shell = 'PATH="%s:$PATH"; %s' % (os.path.dirname(harness.DTRACE), text)
    result = harness.run(['sh', '-euc', shell], cwd=TOP)
    is_right(result, text)
    harness.check(result.out.strip() or result.err.strip(), 'no output: %s', text)
    return result.out.replace(kitchen(), 'build/samples/kitchen')


def is_runnable(command):
    return 'build/samples/kitchen' in command or re.search(r'dtrace -\w*e', command)


def commands():
    """The examples of dtrace(1)."""
    section = read(PAGES, 'dtrace.1').partition('\n.Sh EXAMPLES')[2].partition('\n.Sh')[0]
    found = [block for block in blocks(section)
             if block.startswith('dtrace') and is_runnable(block)]
    harness.check(len(found) >= 5, 'only %d examples', len(found))
    for command in found:
        run_command(command)


def about(line):
    """A line whose numbers may differ."""
    may_differ = ['0x[0-9a-f]+', r'\d+(?:\.\d+)?', r'\|[@ ]*', ' +']
    parts = re.split('(%s)' % '|'.join(may_differ), line)
    for i, part in enumerate(parts):
        same = re.escape(part)
        parts[i] = same if i % 2 == 0 else next(p for p in may_differ if re.fullmatch(p, part))
    return ''.join(parts)


def pattern(fences):
    """What the output must match, of [(kind, text)]."""
    whole = ''
    for kind, text in fences:
        whole += r'\n*'
        for line in text.splitlines():
            whole += r'(?:.*\n)*?' if line == '...' else \
                (about(line.rstrip()) if kind == 'about' else re.escape(line.rstrip())) + r'\n'
    return whole + r'\n*'


def steps(section):
    """[(command, fences)] of a text, in their order."""
    found = []
    for m in re.finditer(r'^```text *(\w*)\n((?:.*\n)*?)```\n|((?:^    .*\n|^\n(?=    ))+)|^(#.*\n)',
                         section, re.M):
        kind, text, indented, heading = m.groups()
        if indented:
            found.append((re.sub('^    ', '', indented, flags=re.M).strip(), []))
        elif heading:
            found.append(('', []))
        else:
            found[-1][1].append((kind, text))
    harness.check(all(command or not fences for command, fences in found), 'output of nothing')
    return [step for step in found if re.search(r'(^|& )dtrace ', step[0])]


def follow_readme(heading, shown, silent):
    """Each command of a section prints what stands below it; so many have output, or none."""
    section = read(TOP, 'samples/README.md').partition('\n## %s\n' % heading)[2]
    found = [(command, fences) for command, fences in steps(section.partition('\n## ')[0])
             if '-p PID' not in command]
    harness.check([sum(1 for _, fences in found if bool(fences) == is_shown)
                   for is_shown in (True, False)] == [shown, silent], 'not %d and %d: %s', shown,
                  silent, found)
    for command, fences in found:
        out = run_command(command)
        out = re.sub(r'^\d+ orders, \d+ guests, \d+ g\n', '', out, flags=re.M)
        out = re.sub(' +$', '', out, flags=re.M)
        harness.check(not fences or re.fullmatch(pattern(fences), out), '%s\n%s\nis not\n%s',
                      command, out, ''.join(text for _, text in fences))
    return [command for command, _ in found]


def scripts():
    """samples/*.d, all of them."""
    commands_run = follow_readme('Scripts to read', 4, 0)
    for name in os.listdir(os.path.join(TOP, 'samples')):
        harness.check(not name.endswith('.d') or
                      any('samples/%s ' % name in command for command in commands_run),
                      '%s is not in the README', name)


def tutorial():
    follow_readme('An hour with dtrace', 16, 0)


harness.main({'commands': commands, 'tutorial': tutorial, 'scripts': scripts,
              'language': lambda: programs('dtrace-d.7'),
              'providers': lambda: programs('dtrace-providers.7')})
