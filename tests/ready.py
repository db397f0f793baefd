# SPDX-License-Identifier: MIT
"""When a program that was started has come to the point where it waits.

The test programs that are attached to (tests/targets) wait there in one of a few system
calls, which the loader and the start of a program do not make.
"""
import time

PAUSE, NANOSLEEP, CLOCK_NANOSLEEP, SIGTIMEDWAIT = 34, 35, 230, 128
VFORK, WAIT, READ = 58, 61, 0
WAITS = (PAUSE, NANOSLEEP, CLOCK_NANOSLEEP, SIGTIMEDWAIT)


def call(pid):
    """(number, first argument) of the system call that its main thread is in, or None."""
    try:
        with open('/proc/%d/syscall' % pid, encoding='utf-8') as f:
            words = f.read().split()
    except OSError:
        return None
    return (int(words[0]), int(words[1], 16)) if len(words) > 2 and words[0] != '-1' else None


def waits(pid, calls=WAITS):
    """Whether its main thread is in one of these system calls."""
    found = call(pid)
    return found is not None and found[0] in calls


def waits_for_input(pid):
    return call(pid) == (READ, 0)


def wait_until(condition, seconds=10):
    """Waits for condition(); False when it is not true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.002)
    return True
