#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Code that programs make at run time: its names in stacks, mixed with native frames."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402

MARK = 'pid$target:a.out:mark:entry '
CHAIN = ['generated`mark', 'jit`JS:*leaf /a/b.js:1:2+0xd',
         'jit`odd;name\\x1b[2J caf\u00e9\\xff+0xd', 'jit`Shop.Worker:Main (string[])+0xd']


def traced(program, command, *args, **kwargs):
    """As harness.traced(). The target leaves its map behind."""
    result = harness.traced(program, command, *args, **kwargs)
    for path in re.findall(r'^map: (/tmp/perf-\d+\.map)$', result.out, re.M):
        os.unlink(path)
    return result


def chain(text):
    """The frames of the one stack that a run has printed."""
    return [line.strip() for line in text.splitlines() if '`' in line]


def stacks():
    """Names are clean, the newest counts, and they are still known after the end."""
    result = traced(MARK + '{ @[ustack(4)] = count(); }', harness.target('generated'))
    harness.check(chain(result.data) == CHAIN and '3' in result.data.split(), '%s', result)
    result = traced(MARK + '{ ustack(4); }', harness.target('generated'), ['-q'])
    harness.check(chain(result.data) == CHAIN * 3, '%s', result)


def folded():
    """In a folded stack no name ends its frame."""
    result = traced(MARK + '{ @[ustack(4)] = count(); }', harness.target('generated'),
                            ['-O', 'folded'])
    frames = [re.sub(r'\+0x\w+$', '', f).replace(';', ',') for f in reversed(CHAIN)]
    harness.check(result.data == ';'.join(frames) + ' 3\n', '%s', result)


def functions():
    """ufunc(), usym() and umod() of the caller; addresses of one function are one key."""
    result = traced(
        MARK + '{ @f[ufunc(ucaller)] = count(); @s[usym(ucaller)] = count();'
        ' @m[umod(ucaller)] = count(); @o[usym(ucaller - 1), usym(ucaller)] = count(); }',
        harness.target('generated'), ['-q'])
    name = r'jit`JS:\*leaf /a/b\.js:1:2 +'
    harness.check(re.search('^ +%s3$' % name, result.data, re.M) and
                  re.search('^ +jit +3$', result.data, re.M) and
                  re.search('^ +%s%s3$' % (name, name), result.data, re.M), '%s', result)


cases = {f.__name__: f for f in (stacks, folded, functions)}


if __name__ == '__main__':
    harness.main(cases)
