#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every row of the product's tables is named by a test.

  named.py SOURCE_ROOT

A built-in variable, a subroutine, an action, an aggregating function and an option by a
D test; an instruction by a unit test of the machine; an error tag by a D test of that
tag. errtags.txt beside this file lists the tags of the language: "TAG" must have its
test, "TAG never REASON" cannot occur in user mode, "TAG later REASON" awaits its feature.
"""
import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CALL = r'\b%s\s*\('
# table, its rows, what a test of a row holds, which tests count
ROWS = [
    ('vm/builtin.def', r'^BUILTIN\((?!cur\w*psinfo_)(\w+)', r'\b%s\b', 'tst'),
    # members of curpsinfo and curlwpsinfo
    ('vm/builtin.def', r'^BUILTIN\(cur(?:lw)?psinfo_(\w+)', r'\b\w*psinfo(?:->pr)?_%s\b', 'tst'),
    ('vm/subr.def', r'^SUBR\((\w+)', CALL, 'tst'),
    ('dlang/check/action.def', r'^(?:ACTION|AGGFUNC)\((\w+)', CALL, 'tst'),
    ('dlang/check/action.def', r'^KERNEL\((\w+)', r'\b%s\b', 'err'),
    ('tracer/base/options.def', r'^OPTION\((\w+)',
     r'(?:-x\s*|\boption\s+|\bsetopt\(\s*")%s\b', 'tst err'),
    ('vm/ops.def', r'^OP\((\w+)', r'\b(?:OP_|I\()%s\b', 'unit'),
]
TAG = re.compile(r'"(D_[A-Z0-9_]*[A-Z0-9])"')


def read(path):
    with open(path, encoding='utf-8', errors='replace') as f:
        return f.read()


def read_tests(root):
    """kind of test: the text of all of that kind"""
    texts = {'tst': [], 'err': [], 'unit': []}
    for path in glob.glob(os.path.join(root, 'tests/d/*/*.d')):
        kind = os.path.basename(path)[:3]
        if kind in texts:
            texts[kind].append(read(path))
    for pattern in ('tests/unit/vm/*.c', 'tests/unit/support/vm_*.c'):
        for path in glob.glob(os.path.join(root, pattern)):
            texts['unit'].append(read(path))
    return {kind: '\n'.join(parts) for kind, parts in texts.items()}


def unnamed_rows(root):
    texts = read_tests(root)
    for table, row, use, kinds in ROWS:
        path = os.path.join(root, table)
        names = re.findall(row, read(path), re.M) if os.path.exists(path) else []
        for name in names:
            if not any(re.search(use % name, texts[kind]) for kind in kinds.split()):
                yield '%s: no %s test names %s' % (table, ' or '.join(kinds.split()), name)


def used_tags(root):
    """tag: a source that reports it"""
    tags = {}
    for folder in ('dlang', 'tracer', 'cmd'):
        for path in sorted(glob.glob(os.path.join(root, folder, '**/*.[ch]'), recursive=True)):
            for tag in TAG.findall(read(path)):
                tags.setdefault(tag, os.path.relpath(path, root))
    return tags


def listed_tags(root):
    """tag: never, later or nothing"""
    path = os.path.join(root, 'tests/gates/errtags.txt')
    lines = read(path).splitlines() if os.path.exists(path) else []
    return {words[0]: words[1] if len(words) > 1 else ''
            for words in (line.split() for line in lines)
            if words and not words[0].startswith('#')}


def tag_faults(root):
    tested = {os.path.basename(path).split('.')[1]
              for path in glob.glob(os.path.join(root, 'tests/d/*/err.D_*.d'))}
    used, listed = used_tags(root), listed_tags(root)
    for tag, source in sorted(used.items()):
        if tag not in tested:
            yield '%s: %s has no test tests/d/*/err.%s.WHAT.d' % (source, tag, tag)
        if tag not in listed:
            yield '%s: %s is not in tests/gates/errtags.txt' % (source, tag)
    for tag, word in sorted(listed.items()):
        if word == '' and tag not in tested and tag not in used:
            yield 'errtags.txt: %s has no test' % tag
        if word == 'never' and (tag in tested or tag in used):
            yield 'errtags.txt: %s does occur' % tag
        if word not in ('', 'never', 'later'):
            yield 'errtags.txt: %s: never or later, not %s' % (tag, word)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    faults = list(unnamed_rows(sys.argv[1])) + list(tag_faults(sys.argv[1]))
    for fault in faults:
        print(fault)
    print('%d faults' % len(faults))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
