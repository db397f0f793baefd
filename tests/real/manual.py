#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The examples of the manual and of the tutorial do what they say.

A block of a manual page that begins like a D program is one, which traces the kitchen of
samples/. A command of the section EXAMPLES of dtrace(1), and each command of the tutorial in
samples/README.md, is run if it traces the kitchen or asks only for the compiler.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import harness  # noqa: E402

TOP = os.path.join(HERE, '../..')
PAGES = os.path.join(TOP, 'cmd/man')
PROGRAM = re.compile(r'#pragma D|[a-z]+(\$target)?:\S*|inline ')
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
    """Each D program of a page compiles, runs to the end and makes no fault."""
    found = [block for block in blocks(read(PAGES, page)) if PROGRAM.match(block)]
    harness.check(len(found) >= 5, '%s has only %d programs', page, len(found))
    for block in found:
        is_right(harness.run([harness.DTRACE, '-w', '-n', block, '-c', kitchen()]), block)


def run_command(text):
    shell = 'PATH="%s:$PATH"; %s' % (os.path.dirname(harness.DTRACE),
                                     text.replace('build/samples/kitchen', kitchen()))
    result = harness.run(['sh', '-euc', shell], cwd=TOP)
    is_right(result, text)
    harness.check(result.out.strip() or result.err.strip(), 'no output: %s', text)


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


def tutorial():
    """Its commands, in their order."""
    text = read(TOP, 'samples/README.md').partition('\n## An hour with dtrace')[2]
    text = text.partition('\n## ')[0]
    found = [re.sub('^    ', '', block, flags=re.M)
             for block in re.findall(r'(?:^    .*\n|^\n(?=    ))+', text, re.M)]
    found = [block.strip() for block in found if block.lstrip().startswith('dtrace')]
    runnable = [block for block in found if '-p PID' not in block]
    harness.check(len(runnable) >= 12, 'only %d commands', len(runnable))
    for command in runnable:
        run_command(command)


harness.main({'commands': commands, 'tutorial': tutorial, 'language': lambda: programs('dtrace-d.7'),
              'providers': lambda: programs('dtrace-providers.7')})
