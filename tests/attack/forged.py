#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Undo logs that a process has forged (forged.c): dtrace attaches, and ends, twice.

It writes nothing but what the files of the process prove, and only if the process itself
has put up the log; it unmaps nothing of the program's, and the program goes on. The
honest logs show that the others are refused for what is wrong in them.
"""
import os
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..'))
import harness  # noqa: E402
from harness import DTRACE, check  # noqa: E402

KINDS = ('honest', 'honest_detour', 'wrong_byte', 'wrong_detour', 'unnamed', 'shared', 'elsewhere',
         'sizes', 'counts', 'memory', 'lowered')


def promises_of(out):
    """(word, address, bytes) of each line before "ready"."""
    found = []
    for line in iter(out.readline, 'ready\n'):
        check(line, 'the program ended')
        word, address, text = line.split()
        found.append((word, int(address, 16), bytes.fromhex(text)))
    return found


def forged(kind):
    with subprocess.Popen([harness.target('forged'), kind], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True) as program:
        try:
            promises = promises_of(program.stdout)
            check(promises, 'the program promises nothing')
            for _ in range(2):
                result = harness.run([DTRACE, '-qn', 'pid%d:a.out:main:entry { } '
                                      'BEGIN { printf("on\\n"); exit(0); }' % program.pid])
                check(result.status == 0 and result.out.strip() == 'on', '%s', result)
            with open('/proc/%d/mem' % program.pid, 'rb', buffering=0) as memory:
                for word, address, expected in promises:
                    memory.seek(address)
                    now = memory.read(len(expected))
                    check(now == expected, '%x is %s and not %s, which it %s', address,
                          now.hex(), expected.hex(), word)
            program.send_signal(signal.SIGTERM)
            check(program.wait(30) == 0 and program.stdout.read() == 'ok\n',
                  'the program ended with %s', program.returncode)
        finally:
            program.kill()


harness.main({kind: lambda kind=kind: forged(kind) for kind in KINDS})
