#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The linked resident image must run anywhere in any program.

  freestanding.py IMAGE.elf

No undefined symbol, no relocation, no thread-local storage, no vector or x87
register (the target's would have to be saved), and code in it at all.
"""
import re
import subprocess
import sys

REGISTERS = re.compile(r'%(?:[xyz]mm\d+|mm\d|st\b|st\(\d\)|k[0-7])')
X87 = re.compile(r'\s*(?:f(?!s\b)[a-z0-9]+|wait|emms)\b')  # fs is a prefix


def output(*command):
    p = subprocess.run(command, capture_output=True, text=True, check=False)
    if p.returncode or p.stderr.strip():
        sys.exit('%s: %s' % (' '.join(command), p.stderr.strip()))
    return p.stdout


def instructions(image):
    for line in output('objdump', '-d', '--no-show-raw-insn', image).splitlines():
        fields = line.split('\t')
        if len(fields) > 1:
            yield fields[0].strip(), fields[1].split('#')[0]


def main():
    image = sys.argv[1]
    problems = []
    undefined = output('nm', '-u', image).split()
    if undefined:
        problems.append('undefined symbols: ' + ' '.join(undefined))
    relocations = output('readelf', '-rW', image)
    if 'Offset' in relocations:
        problems.append('relocations:\n' + relocations)
    if re.search(r'^\s*TLS\b', output('readelf', '-lW', image), re.M):
        problems.append('a thread-local segment')
    count = 0
    for address, text in instructions(image):
        count += 1
        if REGISTERS.search(text) or X87.match(text):
            problems.append('vector or x87 register at %s %s' % (address, text))
    if not count:
        problems.append('no code')
    print('\n'.join(problems) if problems else '%s: %d instructions, all fit' % (
        image, count))
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
