#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what a pass of the compiler makes of a script with the file beside it.

  check.py [--write] DUMP_PROGRAM SCRIPT.d PASS

The expected text is SCRIPT.d.PASS, PASS being tokens, tree, typed or code. --write
makes that file: read the difference before you commit it.
"""
import difflib
import subprocess
import sys


def main():
    arguments = sys.argv[1:]
    write = arguments[0] == '--write'
    dump, script, stage = arguments[write:]
    p = subprocess.run([dump, stage, script], capture_output=True, text=True, check=False,
                       timeout=30)
    if p.returncode not in (0, 1) or p.stderr:
        sys.exit('%s %s: status %d\n%s' % (stage, script, p.returncode, p.stderr))
    golden = '%s.%s' % (script, stage)
    if write:
        with open(golden, 'w', encoding='utf-8') as f:
            f.write(p.stdout)
        return
    with open(golden, encoding='utf-8') as f:
        expected = f.read()
    if expected != p.stdout or not expected:
        sys.exit('%s differs:\n%s' % (golden, ''.join(difflib.unified_diff(
            expected.splitlines(True), p.stdout.splitlines(True), 'expected', 'actual'))))


if __name__ == '__main__':
    main()
