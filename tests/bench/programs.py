# SPDX-License-Identifier: MIT
"""Whole programs for tests/bench/run, every function of the interpreter traced.

A tool is a function of the bench, the number of threads and the command; it gives ns of
wall-clock time. The program must print what it prints untraced.
"""
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = {'lua5.4': '/usr/bin/lua5.4 ' + os.path.join(HERE, 'workload.lua'),
           'python3': '/usr/bin/python3 -S ' + os.path.join(HERE, 'workload.py')}
PROGRAMS = {name: (1, command) for name, command in SCRIPTS.items()
            if os.path.exists(command.split()[0])}
RESULTS = {}


def result(command):
    if command not in RESULTS:
        RESULTS[command] = subprocess.run(command.split(), capture_output=True, text=True,
                                          check=True).stdout
    return RESULTS[command]


def untraced(bench, _, command):
    return bench.wall(command.split(), lambda out: out == result(command))


def traced(bench, command, script):
    out = os.path.join(bench.folder, 'counts')
    return bench.wall([bench.dtrace, '-q', '-o', out, '-n', script, '-c', command],
                      lambda out: out == result(command))


def counted(bench, _, command):
    return traced(bench, command, 'fpid$target:a.out::entry { @[probefunc] = count(); }')


def timed_by(clock):
    script = ('fpid$target:a.out::entry { self->ts = %s; } fpid$target:a.out::return /self->ts/ '
              '{ @[probefunc] = quantize(%s - self->ts); self->ts = 0; }' % (clock, clock))
    return lambda bench, _, command: traced(bench, command, script)


def uftrace(bench, _, command):
    data = os.path.join(bench.folder, 'uftrace.data')
    return bench.wall(['uftrace', 'record', '-d', data, '-P', '.', '--no-libcall'] +
                      command.split(), lambda out: out == result(command))


def calls(bench, command):
    """How often the program calls functions of its own."""
    out = os.path.join(bench.folder, 'calls')
    subprocess.run([bench.dtrace, '-qo', out, '-n', 'fpid$target:a.out::entry { @ = count(); }',
                    '-c', command], stdin=subprocess.DEVNULL, capture_output=True, timeout=180,
                   check=True)
    with open(out, encoding='utf-8') as f:
        number = int(f.read())
    os.unlink(out)
    return number


TOOLS = [('untraced', untraced), ('fpid, every entry counted', counted),
         ('fpid, entry and return, quantize of the time', timed_by('timestamp')),
         ('fpid, the same without a clock', timed_by('2')), ('uftrace -P .', uftrace)]
