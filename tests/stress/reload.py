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
    return 0


def watched(process):
    """Mappings of the target and KiB of the keeper, while both are there."""
    seen = []
    while process.poll() is None:
        try:
            target = child_of(process.pid, 'loader')
            keeper = child_of(process.pid, 'probekeeper')
            if target and keeper:
                seen.append((mappings_of(target), memory_of(keeper)))
            process.wait(0.2)
        except (FileNotFoundError, ProcessLookupError, AttributeError,
                subprocess.TimeoutExpired):
            pass
    return seen


def trace(path, rounds):
    """The sum of the hits, what was printed about sites, what was seen."""
    name = os.path.basename(path)
    with tempfile.TemporaryFile('w+') as out, tempfile.TemporaryFile('w+') as err:
        process = subprocess.Popen(
            [harness.DTRACE, '-Z', '-n', PROBES % (name, name) + '{ @ = count(); }',
             '-c', '%s %s %d' % (harness.target('loader'), path, rounds)],
            stdout=out, stderr=err)
        seen = watched(process)
        text, errors = harness.content(out), harness.content(err)
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
    harness.check(len(seen) > 4, 'the program was seen %d times', len(seen))
    first, last = seen[len(seen) // 4], seen[-1]
    most = max(m for m, _ in seen)
    harness.check(most <= first[0] + 16, 'mappings grew from %d to %d', first[0], most)
    harness.check(last[1] <= first[1] + 8192, 'the keeper grew from %d to %d KiB', first[1],
                  last[1])
    return '%d rounds, %d sites, %d mappings, keeper %d KiB' % (ROUNDS, sites, most, last[1])


def big():
    count = 6000 if harness.is_small() else BIG
    with tempfile.TemporaryDirectory() as folder:
        hits, breakpoints, sites, _ = trace(library(folder, count), 1)
    harness.check(breakpoints == 0, '%d of %d sites are breakpoints', breakpoints, sites)
    harness.check(sites >= 2 * count and hits == 22, '%d sites, %d hits', sites, hits)
    return '%d sites' % sites


harness.main({'reloaded': reloaded, 'big': big})
