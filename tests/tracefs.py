# SPDX-License-Identifier: MIT
"""Commands that need the kernel's tracepoints; programs for them to observe."""
import contextlib
import os
import subprocess
import sys
import tempfile

import harness

PATH = '/sys/kernel/tracing'


def command(words):
    """The words as a command where tracefs is mounted: in a mount namespace of its own, if it
    is not mounted on this machine."""
    if os.geteuid() != 0:
        raise harness.Skipped("the kernel's events are for root")
    if os.path.exists(PATH + '/available_events'):
        return words
    shell = ['unshare', '-m', 'sh', '-c', 'mount -t tracefs tracefs %s && exec "$@"' % PATH, '-']
    test = subprocess.run([*shell, 'true'], stderr=subprocess.PIPE, check=False)
    if test.returncode:
        raise harness.Skipped('tracefs cannot be mounted: %s' % test.stderr.decode().strip())
    return [*shell, *words]


def without(words):
    """The words as a command where it is not mounted."""
    if os.geteuid() != 0 or not os.path.exists(PATH + '/available_events'):
        return words
    return ['unshare', '-m', 'sh', '-c', 'umount %s && exec "$@"' % PATH, '-', *words]


def dtrace(*arguments, before=(), **kwargs):
    return harness.run(command([*before, harness.DTRACE, *arguments]), **kwargs)


@contextlib.contextmanager
def no_idle_processor():
    """Some kernels tell nothing of what happens on a processor without a task, by perf or here:
    each gets one that runs when there is nothing else."""
    tasks = [subprocess.Popen(['taskset', '-c', str(cpu), 'chrt', '-i', '0', 'sh', '-c',
                               'while :; do :; done'])
             for cpu in os.sched_getaffinity(0)]
    try:
        yield
    finally:
        for task in tasks:
            task.kill()
            task.wait()


class Named:
    """A program of a name of its own, that is started while the whole machine is observed."""

    def __init__(self, text):
        self.tmp = tempfile.TemporaryDirectory(prefix='events-')
        self.name = 'ev%d' % os.getpid()
        self.path = path = os.path.join(self.tmp.name, self.name)
        os.symlink(sys.executable, path)
        self.script = os.path.join(self.tmp.name, 'script')
        self.said = os.path.join(self.tmp.name, 'said')
        with open(self.script, 'w', encoding='utf-8') as f:
            f.write(text)
        self.start = 'system("%s %s >%s </dev/null")' % (path, self.script, self.said)

    def trace(self, program, *options, waits=True):
        """@name@ stands for its name. It is started by a tick; tracing ends when it has ended.
        waits False: dtrace goes on meanwhile, and the program ends tracing."""
        start = self.start if waits else self.start[:-2] + ' &")'
        program = program.replace('@name@', '"%s"' % self.name) + """
            tick-50ms /!begun++/ { %s; ended = %d; }
            tick-50ms /ended && waited++ > 4/ { exit(0); }""" % (start, waits)
        with no_idle_processor():
            result = dtrace('-wqn', program, *options)
        harness.check(result.status == 0 and not result.err.strip(), '%s', result)
        with open(self.said, encoding='utf-8') as f:
            return result.out, f.read().split()
