#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What bash and zsh offer for a command line of dtrace that is not finished.

bash is asked as readline asks it, but without a terminal: with the words as it splits them.
zsh has no such interface: it reads its file, and the words come from the same program.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import harness  # noqa: E402

BUILD = os.environ.get('BUILD', '.')
SCRIPT = os.path.join(BUILD, 'cmd', 'completion', 'dtrace.bash')
ZSH = os.path.join(BUILD, 'cmd', 'completion', '_dtrace')
KITCHEN = os.path.join(BUILD, 'samples', 'kitchen')
ASK = '''
source "$1"
COMP_LINE=$2 COMP_POINT=${#2}
_dtrace
printf '%s\\n' "${COMPREPLY[@]}"
'''


def replies(line):
    line = line.replace('dtrace', harness.DTRACE, 1)
    result = harness.run(['bash', '--norc', '-uc', ASK, 'bash', SCRIPT, line])
    harness.check(result.status == 0 and not result.err, '%s\n%s', line, result)
    return result.out.splitlines()


# a line, some of the replies, what is no reply
LINES = [
    ('dtrace -', ['-n', '-G', '-Z', '--help'], ['-a', '-B']),
    ('dtrace --v', ['--version'], ['--help', '-v']),
    ('dtrace -x aggs', ['aggsize=', 'aggsortkey', 'aggsortpos='], ['aggrate=', 'bpflog']),
    ('dtrace -qx bufpolicy=', ['switch', 'fill', 'ring', 'wait'], ['auto']),
    ('dtrace -x follow=', ['new'], []),
    ('dtrace -X ', ['a', 'c', 's', 't'], []),
    ('dtrace -n ', ["'fpid$target:", "'BEGIN", "'syscall::"], []),
    ("dtrace -n 'fp", ['fpid$target:'], ['pid$target:']),
    ("dtrace -n 'fpid$target:l", ['fpid$target:libc:'], ['fpid$target:a.out:']),
    ("dtrace -c KITCHEN -qn 'fpid$target:a.out:co", ['fpid$target:a.out:cook:'],
     ['fpid$target:a.out:chop:']),
    ("dtrace -c 'KITCHEN 3' -n 'BEGIN,pid$target:a.out:co", ['pid$target:a.out:cook:'], []),
    ("dtrace -p PID -n 'pid$target:lib", ['pid$target:libc.so.6:'], ['pid$target:a.out:']),
    ("dtrace -n 'pid$target:a.out:cook:", ['pid$target:a.out:cook:entry',
                                           'pid$target:a.out:cook:return'], []),
    ('dtrace -n syscall::openat', ['openat:', 'openat2:'], ['open:']),
    ('dtrace -n proc:::signal-', ['signal-send', 'signal-handle'], ['exit']),
    ("dtrace -n 'dtrace:::", ['dtrace:::BEGIN', 'dtrace:::ERROR'], []),
    ("dtrace -n 'nosuch:", [''], []),
]


def bash():
    for line, wanted, unwanted in LINES:
        line = line.replace('KITCHEN', KITCHEN).replace('PID', str(os.getpid()))
        found = replies(line)
        harness.check(set(wanted) <= set(found) and not set(unwanted) & set(found),
                      '%s\noffers %s', line, found)
    harness.check(str(os.getpid()) in replies('dtrace -p '), 'the process is not offered')
    pieces = replies('dtrace -s ' + os.path.join(BUILD, 'samples', 'kitch'))
    harness.check(KITCHEN in pieces, 'files are %s', pieces)


def command_is_not_run():
    """To list its functions, a command is started and ended before its first instruction."""
    path = os.path.join(BUILD, 'samples', 'never')
    found = replies("dtrace -c 'touch %s' -n 'pid$target:a.out:m" % path)
    harness.check(not os.path.exists(path), 'the command has run: %s', found)


def zsh():
    """Its file is right, and what it is given without a terminal is what the program says."""
    shell = harness.installed('zsh')
    result = harness.run([shell, '-fnc', 'source ' + ZSH])
    harness.check(result.status == 0 and not result.err, '%s', result)
    with open(ZSH, encoding='utf-8') as f:
        text = f.read()
    for each in ('#compdef dtrace', 'bufpolicy=ring', '--help', 'libexec/dtrace/complete'):
        harness.check(each in text, 'no %s', each)


harness.main({'bash': bash, 'command_is_not_run': command_is_not_run, 'zsh': zsh})
