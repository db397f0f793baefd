#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""emit(): what other tools see in the kernel's stream."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
import tracefs  # noqa: E402

# the kernel's own stream after dtrace has run; the names are those of this process
TRACE = '''cd /sys/kernel/tracing; [ "$(cat tracing_on)" = 1 ] || { echo OFF; exit; }
cd - >/dev/null; "$@" || echo FAILED; cat /sys/kernel/tracing/trace'''
NAME = 'zz%d_' % os.getpid()


def markers(program, *arguments):
    """The events that the kernel lists: name, fields. @ stands for their prefix."""
    if os.path.exists('/sys/kernel/tracing/user_events_data'):
        raise harness.Skipped('this kernel has user_events, not only trace_marker')
    result = harness.run(tracefs.command(['sh', '-c', TRACE, '-', harness.DTRACE, '-qn',
                                          program.replace('@', NAME), *arguments]))
    if 'OFF\n' in result.out:
        raise harness.Skipped('tracing_on of tracefs is 0')
    harness.check(result.status == 0 and 'FAILED' not in result.out, '%s', result)
    return [(name, re.sub(r'time=\d+\.\d{9} pid=\d+ tid=\d+ cpu=\d+ ?', '', rest))
            for name, rest in re.findall('tracing_mark_write: ' + NAME + r'(\w+): (time=.*?) *$',
                                         result.out, re.M)]


def stream():
    """Events of BEGIN, END, a tick, of breakpoints and of jumps, in the order of their time."""
    found = markers('''
        BEGIN { emit("@begin", 1, -2, "a\\"b\\nc", (unsigned char)200); }
        pid$target:a.out:f:entry { emit("@pid", probefunc, (int)arg0); }
        fpid$target:a.out:f:return { emit("@fpid", arg1, execname); }
        tick-10ms { n++; emit("@tick", n); }
        END { emit("@end"); }''', '-c', harness.target('once'))
    found = [event for event in found if event[0] != 'tick']
    expected = [('begin', 'arg0=1 arg1=-2 arg2="a\\"b\\\\x0ac" arg3=200')]
    expected += [('pid', 'arg0="f" arg1=-1'), ('fpid', 'arg0=0 arg1="once"'), ('end', '')]
    harness.check(found == expected, '%s', found)


def hostile():
    """A name that a program gives itself is one field of one line."""
    program = "import ctypes; ctypes.CDLL(None).prctl(15, b'x\\n\"y: \\33[1m')"
    found = markers('''sdt:task::task_rename /strstr(args[0]->newcomm, "y:") != NULL/
        { emit("@name", args[0]->newcomm, args[0]->pid == pid); }''',
                    '-c', '%s -c \'%s\'' % (sys.executable, program.replace("'", "'\\''")))
    harness.check(found == [('name', 'arg0="x\\\\x0a\\"y: \\\\x1b[1m" arg1=1')], '%s', found)


def declared():
    """Where the kernel has user_events it lists the event while dtrace runs."""
    if not os.path.exists('/sys/kernel/tracing/user_events_data'):
        raise harness.Skipped('this kernel has no user_events (CONFIG_USER_EVENTS)')
    result = harness.run([harness.DTRACE, '-wqn', '''BEGIN { emit("zzdeclared", 1, "x");
        system("cat /sys/kernel/tracing/events/user_events/zzdeclared/format"); exit(0); }'''])
    harness.check('s64 arg0;' in result.out and '__rel_loc char[] arg1;' in result.out,
                  '%s', result)


def refused():
    """Before tracing starts: without tracefs, without privilege, two forms of one event."""
    program = ['-n', 'BEGIN { emit("e", 1); printf("traced"); exit(0); }']
    other = ['-n', 'END { emit("e", "text"); }']
    nobody = ['setpriv', '--reuid', 'nobody', '--clear-groups']
    for command, text in (
            (tracefs.without([harness.DTRACE, *program]), 'mount -t tracefs'),
            (tracefs.command([*nobody, harness.DTRACE, *program]), 'for root'),
            (tracefs.command([harness.DTRACE, *program, *other]),
             "the event 'e' has other arguments elsewhere")):
        result = harness.run(command)
        harness.check(result.status == 1 and 'traced' not in result.out and
                      'could not enable tracing: emit(): ' in result.err and text in result.err,
                      'no %r: %s', text, result)


harness.main({case.__name__: case for case in (stream, hostile, declared, refused)})
