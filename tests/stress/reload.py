#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Jumps for a plugin that is loaded again and again, and for a library of great size.

What belonged to unloaded code is used again: the program has no more mappings at the end
than at the beginning, the keeper's memory stays flat, and no site becomes a breakpoint.
RELOAD_ROUNDS (default 60) is how often the plugin of 801 sites is loaded, RELOAD_BIG
(default 300000) how many functions the library has, with two sites each.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..'))
import harness  # noqa: E402

ROUNDS = int(os.environ.get('RELOAD_ROUNDS', '60'))
BIG = int(os.environ.get('RELOAD_BIG', '300000'))
SOURCE = os.path.join(HERE, '..', 'targets', 'code', 'many.S')
PROBES = 'fpid$target:%s::entry, fpid$target:%s::return'


def library(folder, count):
    path = os.path.join(folder, 'many%d.so' % count)
    subprocess.run(['cc', '-shared', '-DCOUNT=%d' % count, '-o', path, SOURCE], check=True)
    return path


def memory_of(pid):
    with open('/proc/%d/status' % pid) as f:
        return int(re.search(r'VmRSS:\s+(\d+)', f.read()).group(1))


def mappings_of(pid):
    with open('/proc/%d/maps' % pid) as f:
        return len(f.readlines())


def child_of(pid, name):
    with open('/proc/%d/task/%d/children' % (pid, pid)) as f:
        for child in map(int, f.read().split()):
            with open('/proc/%d/comm' % child) as comm:
                if comm.read().strip() == name:
                    return child
    raise harness.Failure('%d has no child %s' % (pid, name))


class Seen:
    """What there is after one turn of the loader, which waits: mappings of the target, KiB
    of the keeper."""

    def __init__(self, dtrace):
        self.mappings = mappings_of(child_of(dtrace, 'loader'))
        self.keeper = memory_of(child_of(dtrace, 'probekeeper'))


def turn(process, rounds):
    """Lets the loader turn that often; what is seen after each turn."""
    seen = []
    for _ in range(rounds):
        line = process.stdout.readline()
        harness.check(line == 'turned\n', 'the loader says %s', line)
        seen.append(Seen(process.pid))
        process.stdin.write('\n')
        process.stdin.flush()
    return seen


def trace(path, rounds):
    """The sum of the hits, what was printed about sites, what was seen."""
    name = os.path.basename(path)
    with tempfile.TemporaryFile('w+') as err, subprocess.Popen(
            [harness.DTRACE, '-Z', '-n', PROBES % (name, name) + '{ @ = count(); }',
             '-c', '%s %s %d wait' % (harness.target('loader'), path, rounds)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=err, text=True) as process:
        seen = turn(process, rounds)
        text = process.stdout.read()
        process.wait()
        errors = harness.content(err)
    harness.check(process.returncode == 0, 'dtrace exited with %s: %s', process.returncode,
                  errors)
    sites = re.search(r'fpid: (\d+) of (\d+) sites are breakpoints', errors)
    harness.check(sites, 'nothing is said about sites: %s', errors)
    return int(text.split()[-1]), int(sites.group(1)), int(sites.group(2)), seen


def reloaded():
    with tempfile.TemporaryDirectory() as folder:
        hits, breakpoints, sites, seen = trace(library(folder, 400), ROUNDS)
    harness.check(breakpoints == 0, '%d of %d sites are breakpoints', breakpoints, sites)
    harness.check(hits == ROUNDS * 22, '%d hits', hits)
    first, last = seen[len(seen) // 4], seen[-1]
    most = max(s.mappings for s in seen)
    harness.check(most <= first.mappings + 16, 'mappings grew from %d to %d', first.mappings,
                  most)
    harness.check(last.keeper <= first.keeper + 8192, 'the keeper grew from %d to %d KiB',
                  first.keeper, last.keeper)
    return '%d rounds, %d sites, %d mappings, keeper %d KiB' % (ROUNDS, sites, most,
                                                                last.keeper)


def big():
    count = 6000 if harness.is_small() else BIG
    with tempfile.TemporaryDirectory() as folder:
        hits, breakpoints, sites, _ = trace(library(folder, count), 1)
    harness.check(breakpoints == 0, '%d of %d sites are breakpoints', breakpoints, sites)
    harness.check(sites >= 2 * count and hits == 22, '%d sites, %d hits', sites, hits)
    return '%d sites' % sites


harness.main({'reloaded': reloaded, 'big': big})
