#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Size and shape of the product's sources.

  shape.py SOURCE_ROOT EXCEPTIONS

Functions of at most 60 lines (at most three exceptions, each with its reason in that
file), nine in ten under 40, nesting at most 3, at most 5 parameters; files of
at most 800 lines and 90 columns, each with its licence line. At the top level there is
nothing but the folders and the three files that belong there.
"""
import os
import re
import sys

FOLDERS = ['cmd', 'tracer', 'hook', 'disasm', 'symbols', 'dlang', 'vm']
MAX_LINES, MAX_NESTING, MAX_PARAMETERS = 60, 3, 5
MAX_FILE, MAX_COLUMNS, TAB = 800, 90, 8
MAX_EXCEPTIONS = 3
# Beside dot-files and folders to build in, which .gitignore leaves out too.
TOP_LEVEL = set(FOLDERS) | {'tests', 'samples', 'CMakeLists.txt', 'README.md', 'LICENSE'}
LEFT_OUT = re.compile(r'\.|build|compile_commands\.json$')
LICENCE = 'SPDX-License-Identifier: MIT'

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
PREPROCESSOR = re.compile(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.M)


def bare(text):
    """The text with comments, literals and directives blanked, lines kept."""
    def blank(m):
        return re.sub(r'[^\n]', ' ', m.group(0))
    return PREPROCESSOR.sub(blank, TOKEN.sub(blank, text))


def matching(text, start):
    """Where the brace or bracket that opens at start is closed."""
    pairs = {'{': '}', '(': ')'}
    opening, closing = text[start], pairs[text[start]]
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == opening) - (text[i] == closing)
        if depth == 0:
            return i
    return len(text) - 1


def nesting(body):
    """Depth of blocks; the braces of initialisers do not count."""
    stack, deepest = [], 0
    for m in re.finditer(r'[{}]', body):
        if m.group() == '}':
            if stack:
                stack.pop()
            continue
        before = body[:m.start()].rstrip()
        data = bool(stack and stack[-1]) or before.endswith(('=', ',', '(', '['))
        if re.search(r'\(\s*(const\s+)?(struct|union)[^()]*\)$|\w\s*\[[^\]]*\]\s*\)$', before):
            data = True
        stack.append(data)
        deepest = max(deepest, sum(not d for d in stack))
    return max(0, deepest - 1)


def parameters(text, opening):
    inside = text[opening + 1:matching(text, opening)].strip()
    if inside in ('', 'void'):
        return 0
    depth = count = 0
    for c in inside:
        depth += (c in '([') - (c in ')]')
        count += c == ',' and depth == 0
    return count + 1


def functions(text):
    """(name, first line, lines, nesting, parameters) of each function defined."""
    i = 0
    while True:
        brace = text.find('{', i)
        if brace < 0:
            return
        end = matching(text, brace)
        head_start = max(text.rfind(c, 0, brace) for c in ';}') + 1
        head = text[head_start:brace]
        attribute_free = re.sub(r'__attribute__\s*\(\(.*?\)\)\)?', lambda m: ' ' * len(m.group()),
                                head, flags=re.S)
        m = re.search(r'\b([A-Za-z_]\w*)\s*\(', attribute_free)
        if m and '=' not in head and head.rstrip().endswith((')', '))')):
            first = text.count('\n', 0, head_start + m.start()) + 1
            last = text.count('\n', 0, end) + 1
            yield (m.group(1), first, last - first + 1, nesting(text[brace:end + 1]),
                   parameters(text, head_start + m.end() - 1))
        i = end + 1


def exceptions(path):
    found = {}
    with open(path, encoding='utf-8') as f:
        for line in f:
            if line.strip() and not line.startswith('#'):
                path, name, reason = line.split(None, 2)
                found[path, name] = reason
    return found


def sources(root):
    for top in FOLDERS:
        for folder, _, names in sorted(os.walk(os.path.join(root, top))):
            for name in sorted(names):
                if name.endswith(('.c', '.h', '.S', '.def', '.ld')) or \
                        name == 'CMakeLists.txt':
                    yield os.path.relpath(os.path.join(folder, name), root)


def check_lines(path, text):
    problems = []
    lines = text.split('\n')
    if sum(LICENCE in line for line in lines[:3]) != 1:
        problems.append('%s:1: the licence line is missing: %s' % (path, LICENCE))
    if len(lines) - 1 > MAX_FILE:
        problems.append('%s: %d lines, at most %d' % (path, len(lines) - 1, MAX_FILE))
    for number, line in enumerate(lines, 1):
        if len(line.expandtabs(TAB)) > MAX_COLUMNS:
            problems.append('%s:%d: %d columns, at most %d' % (
                path, number, len(line.expandtabs(TAB)), MAX_COLUMNS))
    return problems


def check_functions(path, text, known, used, lengths):
    problems = []
    for name, first, lines, depth, count in functions(bare(text)):
        where = '%s:%d: %s' % (path, first, name)
        lengths.append(lines)
        if (path, name) in known:
            used.add((path, name))
        elif lines > MAX_LINES:
            problems.append('%s: %d lines, at most %d' % (where, lines, MAX_LINES))
        if depth > MAX_NESTING and (path, name) not in known:
            problems.append('%s: nesting %d, at most %d' % (where, depth, MAX_NESTING))
        if count > MAX_PARAMETERS and (path, name) not in known:
            problems.append('%s: %d parameters, at most %d' % (where, count, MAX_PARAMETERS))
    return problems


def check_top_level(root):
    return ['%s: does not belong to the top level' % name
            for name in sorted(os.listdir(root))
            if name not in TOP_LEVEL and not LEFT_OUT.match(name)]


def main():
    root = sys.argv[1]
    known = exceptions(sys.argv[2])
    used, lengths, problems = set(), [], check_top_level(root)
    for path in sources(root):
        with open(os.path.join(root, path), encoding='utf-8') as f:
            text = f.read()
        problems += check_lines(path, text)
        if path.endswith(('.c', '.h')):
            problems += check_functions(path, text, known, used, lengths)
    for path, name in sorted(set(known) - used):
        problems.append('%s: %s has no function %s' % (sys.argv[2], path, name))
    if len(known) > MAX_EXCEPTIONS:
        problems.append('%s: %d exceptions, at most %d' % (
            sys.argv[2], len(known), MAX_EXCEPTIONS))
    lengths.sort()
    p90 = lengths[len(lengths) * 9 // 10] if lengths else 0
    if p90 > 40:
        problems.append('one function in ten has more than %d lines, at most 40' % p90)
    if problems:
        print('\n'.join(problems))
    else:
        print('%d functions: median %d lines, p90 %d, longest %d' % (
            len(lengths), lengths[len(lengths) // 2], p90, lengths[-1]))
    return 1 if problems or not lengths else 0


if __name__ == '__main__':
    sys.exit(main())
