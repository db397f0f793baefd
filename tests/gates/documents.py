#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a README.md of the tree names exists.

  documents.py SOURCE_ROOT

Checked are the words between backquotes, the targets of links, and in code blocks (fenced
or indented) the first word of each line and every `name()`.

- A path has a slash or one of the suffixes below. It exists relative to the README's
  folder or to the top. A component in capitals, and `*`, stand for any name:
  `tests/unit/LIBRARY/WHAT.c`; braces for each of a list: `agg.{c,h}`.
- Paths that are absolute, or begin with build, bin, libexec or .debug, are not of this tree.
- `name()` is called or defined in a source, or a row of a .def table. A function of the
  system has its section of the manual instead: `waitpid(2)`.
- A word with any other character (`pid$target:::`, `<stdio.h>`, `-x follow`) is neither.
"""
import glob
import os
import re
import sys

import tree

SUFFIXES = ('.c', '.h', '.S', '.cc', '.cpp', '.def', '.ld', '.py', '.sh', '.d', '.txt',
            '.md', '.cmake')
SOURCES = ('.c', '.h', '.S', '.cc', '.cpp', '.def', '.py', '.d', '.sh')
ELSEWHERE = re.compile(r'/|(build[^/]*|bin|libexec|\.debug)/')

COMMENT = re.compile(r'/\*.*?\*/', re.S)
CALL = re.compile(r'\b([A-Za-z_]\w*)\s*\(')
ROW = re.compile(r'^[A-Z]\w*\(\s*([a-z_]\w*)\s*[,)]', re.M)
FUNCTION = re.compile(r'([A-Za-z_]\w*)\(\)')
PATH = re.compile(r'[\w.*{},+-]+(/[\w.*{},+-]*)*$')
CAPITALS = re.compile(r'[A-Z][A-Z0-9_]*(?![a-z0-9])')
BRACES = re.compile(r'\{([^{}]*)\}')
FENCE = re.compile(r'\s*(```|~~~)')


def functions(root):
    """Every name that a source calls or defines."""
    names = set()
    for path in tree.files(root, *SOURCES):
        text = COMMENT.sub(' ', tree.read(root, path))
        names.update(CALL.findall(text))
        if path.endswith('.def'):
            names.update(ROW.findall(text))
    return names


def alternatives(word):
    m = BRACES.search(word)
    if not m:
        return [word]
    return [each for part in m.group(1).split(',')
            for each in alternatives(word[:m.start()] + part + word[m.end():])]


def is_path(word):
    return PATH.match(word) and not ELSEWHERE.match(word) and \
        ('/' in word or word.endswith(SUFFIXES))


def exists(root, folder, word):
    for base in (folder, ''):
        if os.path.exists(os.path.join(root, base, word)):
            return True
        if glob.glob(os.path.join(glob.escape(root), base, CAPITALS.sub('*', word))):
            return True
    return False


def words(text):
    """(line number, word) of all that is checked."""
    in_fence = is_indented = False
    after_blank = True
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            in_fence = not in_fence
            continue
        is_indented = bool(re.match(r'    |\t', line)) and (after_blank or is_indented)
        after_blank = not line.strip()
        if in_fence or is_indented:
            yield from ((number, word) for word in line.split()[:1])
            yield from ((number, name + '()') for name in FUNCTION.findall(line))
            continue
        yield from ((number, target) for target in re.findall(r'\]\(([^)#: ]+)[)#]', line))
        for quoted in re.findall(r'`([^`]+)`', line):
            yield from ((number, word) for word in quoted.split())


def faults(root):
    known = functions(root)
    for document in tree.files(root, 'README.md'):
        folder = os.path.dirname(document)
        for number, word in words(tree.read(root, document)):
            function = FUNCTION.fullmatch(word.rstrip('.,;:'))
            if function and function.group(1) not in known:
                yield '%s:%d: no source has a function %s()' % (document, number,
                                                                function.group(1))
            for path in alternatives(word):
                if is_path(path) and not exists(root, folder, path):
                    yield '%s:%d: there is no file %s' % (document, number, path)


def main():
    found = list(faults(sys.argv[1]))
    print('\n'.join(found))
    print('%d faults' % len(found))
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
