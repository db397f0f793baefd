#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every row of processes.txt names tests, and they are there.

  processes.py SOURCE_ROOT [TABLE]

The table's head says how tests are named.
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# as tests/CMakeLists.txt finds what tests/pairs runs
NAMES_PID = re.compile(r'[^a-zA-Z_$]pid[0-9]*[$*:]')
TEST = re.compile(r'[\w.-]+"[^"]*"|\S+')


def read(path):
    with open(path, encoding='utf-8', errors='replace') as f:
        return f.read()


class Tests:
    """What tests there are in a tree."""

    def __init__(self, root):
        self.tests = os.path.join(root, 'tests')
        self.cases = {}
        cmake = os.path.join(self.tests, 'CMakeLists.txt')
        self.listed = set(re.findall(r'^cases\((\w+) (\S+)\.py', read(cmake), re.M)) \
            if os.path.exists(cmake) else set()

    def d(self, name, is_pair=False):
        subject, kind, what = name.split('.', 2)
        path = os.path.join(self.tests, 'd', subject, '%s.%s.d' % (kind, what))
        return os.path.exists(path) and (not is_pair or NAMES_PID.search(read(path)))

    def unit(self, name):
        file, _, what = name.partition('.')
        path = os.path.join(self.tests, 'unit', *file.split('_', 1)) + '.c'
        return os.path.exists(path) and \
            re.search(r'\bvoid test_%s\(void' % re.escape(what), read(path))

    def stop(self, name):
        path = os.path.join(self.tests, 'unit', 'keeper', 'stop.c')
        return os.path.exists(path) and '{%s' % name in read(path)

    def listing(self, path):
        if path not in self.cases:
            self.cases[path] = subprocess.run(
                [sys.executable, '-B', path, '--list'], stdout=subprocess.PIPE, text=True,
                check=False).stdout.split()
        return self.cases[path]

    def case(self, file, what, is_pair=False):
        """tests/real/FILE.py or tests/stress/FILE.py; of a pair any file with the case."""
        for folder in ('real', 'stress'):
            for label, listed in sorted(self.listed):
                if (label == 'pairs') != is_pair or os.path.dirname(listed) != folder or \
                        (file and os.path.basename(listed) != file):
                    continue
                if what in self.listing(os.path.join(self.tests, listed + '.py')):
                    return True
        return False

    def has(self, test):
        kind, _, name = test.partition('.')
        if kind == 'd':
            return self.d(name)
        if kind == 'unit':
            return self.unit(name)
        if kind == 'stop':
            return self.stop(name)
        if kind == 'pairs':
            return self.d(name[2:], True) if name.startswith('d.') else \
                self.case(None, name, True)
        return self.case(kind, name)


def faults(root, table):
    tests, heading, rows, seen = Tests(root), None, 0, set()
    for number, line in enumerate(read(table).splitlines(), 1):
        if line.startswith('## '):
            if heading and not rows:
                yield '%s: no rows' % heading
            heading, rows = line[3:], 0
        if not line.strip() or line.startswith('#'):
            continue
        fields = [field.strip() for field in line.split('|')]
        if len(fields) != 3 or not all(fields):
            yield 'line %d: NAME | sentence | tests, not: %s' % (number, line)
            continue
        rows += 1
        if (heading, fields[0]) in seen:
            yield 'line %d: %s stands twice under %s' % (number, fields[0], heading)
        seen.add((heading, fields[0]))
        for test in TEST.findall(fields[2]):
            if not tests.has(test):
                yield 'line %d: %s: there is no test %s' % (number, fields[0], test)
    if heading and not rows:
        yield '%s: no rows' % heading
    if not seen:
        yield 'the table is empty'


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    table = sys.argv[2] if len(sys.argv) > 2 else os.path.join(HERE, 'processes.txt')
    found = list(faults(sys.argv[1], table))
    for fault in found:
        print(fault)
    print('%d faults' % len(found))
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
