# SPDX-License-Identifier: MIT
"""Commands that need the kernel's tracepoints."""
import os
import subprocess

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
