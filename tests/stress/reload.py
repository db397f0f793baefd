#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Jumps for a plugin that is loaded again and again, and for a library of great size.

What belonged to unloaded code is used again: the program has no more mappings at the end
than at the beginning, the memory of keeper and dtrace stays flat, and no site becomes a
breakpoint. RELOAD_ROUNDS (default 60) is how often the plugin of 801 sites is loaded,
RELOAD_KINDS (default 120) how often one whose stacks are printed, each time another of 36;
RELOAD_BIG (default 300000) is how many functions the library has, with two sites each.
"""
import itertools
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..'))
import harness  # noqa: E402

ROUNDS = int(os.environ.get('RELOAD_ROUNDS', '60'))
KINDS = int(os.environ.get('RELOAD_KINDS', '120'))
BIG = int(os.environ.get('RELOAD_BIG', '300000'))
SOURCE = os.path.join(HERE, '..', 'targets', 'code', 'many.S')
PROBES = 'fpid$target:%s::entry, fpid$target:%s::return { @ = count(); }'

# Without frame pointers: only its rows lead from one function to the next. FRAME changes
# the rows and nothing else.
PLUGIN = """
#define INSIDE __attribute__((noinline))
INSIDE long leaf(long v) { __asm__ volatile("" : "+r"(v)); return v + 1; }
INSIDE long middle(long v) { volatile char room[FRAME]; room[0] = 1; return leaf(v) + room[0]; }
INSIDE long plugged(long v) { volatile char room[FRAME]; room[0] = 1; return middle(v) + room[0]; }
unsigned long plugin_calls(void) { return 10; }
"""
FUNCTIONS = ['leaf', 'middle', 'plugged', 'turn', 'main']


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
    of the keeper and of dtrace."""

    def __init__(self, dtrace):
        self.dtrace = memory_of(dtrace)
        self.mappings = mappings_of(child_of(dtrace, 'loader'))
        self.keeper = memory_of(child_of(dtrace, 'probekeeper'))


class Loader:
    """dtrace and its target, which loads the library at the path again and again."""

    def __init__(self, program, path, rounds):
        self.err = tempfile.TemporaryFile('w+')
        self.seen = []
        self.process = subprocess.Popen(
            [harness.DTRACE, '-Z', '-n', program,
             '-c', '%s %s %d wait' % (harness.target('loader'), path, rounds)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.err, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        self.err.close()

    def wait(self):
        """Until it has turned once more."""
        line = self.process.stdout.readline()
        harness.check(line == 'turned\n', 'the loader says %s\n%s', line,
                      harness.content(self.err))
        self.seen.append(Seen(self.process.pid))

    def go_on(self):
        self.process.stdin.write('\n')
        self.process.stdin.flush()

    def end(self):
        """What dtrace prints at the end, and what it said about sites."""
        text = self.process.stdout.read()
        self.process.wait()
        errors = harness.content(self.err)
        harness.check(self.process.returncode == 0, 'dtrace exited with %s: %s',
                      self.process.returncode, errors)
        sites = re.search(r'fpid: (\d+) of (\d+) sites are breakpoints', errors)
        return text, sites and (int(sites.group(1)), int(sites.group(2))), errors


def check_flat(seen, of):
    """No more than at turn `of`."""
    first = seen[of]
    # The sanitizers of that build keep 256 MiB of what was freed.
    room = (320 if harness.is_small() else 8) * 1024
    most = max(s.mappings for s in seen)
    harness.check(most <= first.mappings + 16, 'mappings grew from %d to %d', first.mappings,
                  most)
    for who in ('keeper', 'dtrace'):
        begin, end = getattr(first, who), getattr(seen[-1], who)
        harness.check(end <= begin + room, '%s grew from %d to %d KiB', who, begin, end)
    return '%d turns, %d mappings, keeper %d KiB, dtrace %d KiB' % (
        len(seen), most, seen[-1].keeper, seen[-1].dtrace)


def trace(path, rounds):
    """The sum of the hits, the numbers of breakpoints and sites, what was seen."""
    name = os.path.basename(path)
    with Loader(PROBES % (name, name), path, rounds) as loader:
        for _ in range(rounds):
            loader.wait()
            loader.go_on()
        text, sites, errors = loader.end()
    harness.check(sites, 'nothing is said about sites: %s', errors)
    return int(text.split()[-1]), sites[0], sites[1], loader.seen


def reloaded():
    with tempfile.TemporaryDirectory() as folder:
        hits, breakpoints, sites, seen = trace(library(folder, 400), ROUNDS)
    harness.check(breakpoints == 0, '%d of %d sites are breakpoints', breakpoints, sites)
    harness.check(hits == ROUNDS * 22, '%d hits', hits)
    return '%d sites, %s' % (sites, check_flat(seen, len(seen) // 4))


def plugins(folder):
    """Plugins that differ in the rows of their functions, for ever."""
    paths = []
    for kind in range(36):
        path = os.path.join(folder, 'kind%d.so' % kind)
        subprocess.run(['cc', '-O2', '-fomit-frame-pointer', '-shared', '-fPIC', '-x', 'c', '-',
                        '-DFRAME=%d' % (256 + 16 * kind), '-o', path], input=PLUGIN, text=True,
                       check=True)
        paths.append(path)
    return itertools.cycle(paths)


def check_stacks(text, turns):
    """Each stack has all of the functions, one from the other."""
    hits = 0
    for stack in re.split(r'^ +(\d+)$', text, flags=re.M):
        if stack.isdigit():
            hits += int(stack)
            continue
        names = re.findall(r'`(\w+)', stack)
        harness.check(not names or names[:5] == FUNCTIONS, 'a stack of %s', names)
    harness.check(hits == 10 * turns, '%d hits', hits)


def stacks(provider):
    """Stacks in a plugin that is another one each time."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'plugin.so')
        program = '%s$target:plugin.so:leaf:entry { @[ustack()] = count(); }' % provider
        others = plugins(folder)
        os.link(next(others), path)
        with Loader(program, path, KINDS) as loader:
            for _ in range(KINDS):
                loader.wait()
                os.unlink(path)
                os.link(next(others), path)
                loader.go_on()
            text, sites, errors = loader.end()
    if provider == 'fpid':
        harness.check(sites and sites[0] == 0, '%s', errors)
    harness.check('by frame pointers' not in errors, '%s', errors)
    check_stacks(text, KINDS)
    return check_flat(loader.seen, len(loader.seen) // 2)


def big():
    count = 6000 if harness.is_small() else BIG
    with tempfile.TemporaryDirectory() as folder:
        hits, breakpoints, sites, _ = trace(library(folder, count), 1)
    harness.check(breakpoints == 0, '%d of %d sites are breakpoints', breakpoints, sites)
    harness.check(sites >= 2 * count and hits == 22, '%d sites, %d hits', sites, hits)
    return '%d sites' % sites


harness.main({'reloaded': reloaded, 'big': big, 'stacks': lambda: stacks('fpid'),
              'stacks_by_breakpoints': lambda: stacks('pid')})
