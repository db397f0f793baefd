#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clang-format changes nothing in any C or C++ file of the tree.

  format.py SOURCE_ROOT

Versions of clang-format differ in what they do, so only the one of Debian 12 decides;
without it the status is 77 and ctest shows the gate as skipped. To format a file:
`clang-format -i FILE`. (The options are those of .clang-format at the top.)
"""
import os
import re
import subprocess
import sys

import tree

VERSION = '14'
PROGRAMS = ('clang-format-' + VERSION, 'clang-format')
SKIPPED = 77
BATCH = 200
MOST_SHOWN = 100


def version(program):
    """The main version of that program; None if it cannot be run."""
    try:
        p = subprocess.run([program, '--version'], stdout=subprocess.PIPE, text=True,
                           check=False)
    except FileNotFoundError:
        return None
    m = re.search(r'version (\d+)', p.stdout)
    return m and m.group(1)


def main():
    root = sys.argv[1]
    found = {program: version(program) for program in PROGRAMS}
    program = next((p for p in PROGRAMS if found[p] == VERSION), None)
    if not program:
        print('skipped: clang-format %s is needed (Debian 12 has it in the package '
              'clang-format); found: %s' % (VERSION, found['clang-format'] or 'none'))
        return SKIPPED
    if not os.path.exists(os.path.join(root, '.clang-format')):
        print('there is no .clang-format at the top')
        return 1
    paths = list(tree.files(root, *tree.C_FILES))
    faults = []
    for start in range(0, len(paths), BATCH):
        p = subprocess.run([program, '--dry-run', '--Werror', '--style=file']
                           + paths[start:start + BATCH], cwd=root, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, check=False)
        if p.returncode:
            faults += [line for line in p.stdout.splitlines() if ': error: ' in line] or \
                [p.stdout or 'clang-format ends with %d' % p.returncode]
    print('\n'.join(faults[:MOST_SHOWN]))
    print('%d files, %d places that clang-format changes' % (len(paths), len(faults)))
    return 1 if faults or not paths else 0


if __name__ == '__main__':
    sys.exit(main())
