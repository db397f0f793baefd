#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The manual is well-formed, and names what there is.

  manual.py SOURCE_ROOT lint      `mandoc -T lint` has nothing to say about a page
  manual.py SOURCE_ROOT names     it documents each option, built-in variable, function of D
                                  and probe, and none that is not there

An option is documented by a line `.It Fl c` or `.It Cm name`, several of them with ` , `
between; the initial value of an option of -x stands there as well, as `Ql value`, or, where
more follows in the line, as `No (\\(oqvalue\\(cq)`. A variable is `.It Va name`,
a function `.It Fn name arguments`, a probe `.It Cm name` in the section of its provider.
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


def differences(page, documented, wanted, what=''):
    for name in sorted(wanted - documented):
        yield '%s does not document %s%s' % (page, what, name)
    for name in sorted(documented - wanted):
        yield '%s documents %s%s, which is not there' % (page, what, name)


def options(root):
    page = 'dtrace.1'
    parts = sections(read(root, PAGES + '/' + page))
    yield from differences(page, {name for name, _ in items(parts['OPTIONS'])},
                           switches(root), '-')
    documented = dict(items(parts['RUN-TIME OPTIONS']))
    wanted = initial_values(root)
    yield from differences(page, set(documented), set(wanted), '-x ')
    refused = parts['RUN-TIME OPTIONS'].partition('initial value only')[2]
    for name in sorted(set(documented) & set(wanted)):
        value = wanted[name]
        forms = ('Ql %s' % value, r'(\(oq%s\(cq)' % value)
        if value and name not in refused and not any(x in documented[name] for x in forms):
            yield 'dtrace.1 gives another initial value of -x %s than %s' % (name, value)


def rows(root, path, pattern):
    return set(re.findall(pattern, read(root, path), re.M))


def functions(root):
    """Subroutines, actions and aggregating functions; those of the compiler's own left out."""
    found = rows(root, 'vm/subr.def', r'^SUBR\((\w+)')
    found |= rows(root, 'dlang/check/action.def', r'^(?:ACTION|AGGFUNC)\((\w+)')
    return found - {'args_spill', 'fd_text', 'fd_number', 'print_piece', 'print_nodes', 'local_gone',
                    'process_copy', 'record_data'}


def variables(root):
    """Built-in variables, and those that the standard library makes of others."""
    found = rows(root, 'vm/builtin.def', r'^BUILTIN\((?!cur\w*_|arg\d|uvectors)(\w+)')
    found |= rows(root, 'dlang/standard.c', r'"inline [^"=]*?\*?(\w+)(?:\[[^"]*\])? =')
    return {name for name in found if not re.match('proc_|diag_|kernel_|io_|hwconfig_', name)} | {'args', 'locals'}


def language(root):
    page = 'dtrace-d.7'
    text = read(root, PAGES + '/' + page)
    lines = '\n'.join(re.findall(r'^\.It .*', text, re.M))
    yield from differences(page, set(re.findall(r'\bFn (\w+)', lines)), functions(root))
    builtins = sections(text)['VARIABLES'].partition('.Ss Built-in')[2].partition('\n.Ss')[0]
    documented = {re.sub(r'\[.*', '', name) for line in re.findall(r'^\.It Va (.*)', builtins, re.M)
                  for name in line.split(' , ')}
    yield from differences(page, documented - {'arg0 ... arg9'}, variables(root))


# the section of a provider, the table of its probes
PROBES = [
    ('PROC', 'tracer/keeper/keeper.h', r'^\tX\([A-Z_]+, "([a-z-]+)"\)'),
    ('DIAG', 'tracer/providers/prov_diag.c', r'^\t\{"([a-z-]+)", &'),
    ('DTRACE', 'tracer/providers/prov_dtrace.c', r'"([A-Z]+)"'),
]


def probes(root):
    page = 'dtrace-providers.7'
    parts = sections(read(root, PAGES + '/' + page))
    for title, path, pattern in PROBES:
        documented = {name for name, _ in items(parts[title])}
        yield from differences(page, documented, rows(root, path, pattern), title.lower() + ':::')
    folder = 'tracer/providers/machine'
    words = set(re.findall(r'[\w-]+', parts['THE WHOLE MACHINE']))
    for path in sorted(os.listdir(os.path.join(root, folder))):
        for name in sorted(rows(root, folder + '/' + path, r'^\t\{"([a-z_-]+)",(?!.*(?:NULL|KERNEL_))') - words):
            yield '%s does not document %s of %s' % (page, name, path)


def names(root):
    yield from options(root)
    yield from language(root)
    yield from probes(root)


def main():
    found = list({'lint': lint, 'names': names}[sys.argv[2]](sys.argv[1]))
    print('\n'.join(found))
    print('%d faults' % len(found))
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
