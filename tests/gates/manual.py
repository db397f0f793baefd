#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The manual is well-formed, and names the options that there are.

  manual.py SOURCE_ROOT lint      `mandoc -T lint` has nothing to say about a page
  manual.py SOURCE_ROOT options   dtrace.1 documents each option, and none that is not there

An option is documented by a line `.It Fl c` or `.It Cm name`, several of them with ` , `
between; the initial value of an option of -x stands there as well, as `Ql value`.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

PAGES = 'cmd/man'
SKIPPED = 77
# of this machine, not of the page
ELSEWHERE = re.compile(r'referenced manual not found|outdated mandoc\.db')


def read(root, path):
    with open(os.path.join(root, path), encoding='utf-8') as f:
        return f.read()


def lint(root):
    if not shutil.which('mandoc'):
        print('skipped: no mandoc: apt-get install mandoc')
        sys.exit(SKIPPED)
    pages = sorted(glob.glob(os.path.join(root, PAGES, '*.[17]')))
    if not pages:
        yield 'there are no pages in ' + PAGES
    for page in pages:
        done = subprocess.run(['mandoc', '-T', 'lint', page], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        yield from (line for line in done.stdout.splitlines() if not ELSEWHERE.search(line))


def sections(page):
    """The text of each section, by its title."""
    parts = re.split(r'^\.Sh (.*)$', page, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def items(text):
    """(name, the rest) of each option in the .It lines."""
    for line in re.findall(r'^\.It (.*)$', text, re.M):
        for each in line.split(' , '):
            each = re.sub(r'^(Fl|Cm) ', '', each)
            yield each.split()[0], each


def switches(root):
    """Each letter of getopt's string, and each long option."""
    source = read(root, 'cmd/opts.c')
    string = re.search(r'^#define SWITCHES "([^"]*)"', source, re.M).group(1)
    names = set(re.findall(r'[A-Za-z]', string)) | {'32', '64'}
    names.update('-' + name for name in
                 re.findall(r'\{"([a-z-]+)",\s*(?:no|required|optional)_argument', source))
    return names


def initial_values(root):
    """Each option of -x with its initial value, None if there is none or the build has it."""
    table = read(root, 'tracer/base/options.def')
    return {name: value.strip('"') if value[0] == '"' else None for name, value in
            re.findall(r'^OPTION\((\w+), \w+, \w+, ([^,]+),', table, re.M)}


def missing(documented, wanted, what):
    for name in sorted(wanted - documented):
        yield 'dtrace.1 does not document %s%s' % (what, name)
    for name in sorted(documented - wanted):
        yield 'dtrace.1 documents %s%s, which is not there' % (what, name)


def options(root):
    parts = sections(read(root, PAGES + '/dtrace.1'))
    yield from missing({name for name, _ in items(parts['OPTIONS'])}, switches(root), '-')
    documented = dict(items(parts['RUN-TIME OPTIONS']))
    wanted = initial_values(root)
    yield from missing(set(documented), set(wanted), '-x ')
    refused = parts['RUN-TIME OPTIONS'].partition('initial value only')[2]
    for name in sorted(set(documented) & set(wanted)):
        value = wanted[name]
        if value and name not in refused and 'Ql ' + value not in documented[name]:
            yield 'dtrace.1 gives another initial value of -x %s than %s' % (name, value)


def main():
    found = list({'lint': lint, 'options': options}[sys.argv[2]](sys.argv[1]))
    print('\n'.join(found))
    print('%d faults' % len(found))
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
