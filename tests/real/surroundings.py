#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What dtrace is started with: closed descriptors, few of them, small limits."""
import os
import re
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402

PROGRAM = 'pid$target:a.out:f:entry { @["f"] = count(); }'
LONE_USER = 64123 # no process has it


def start(before, *options, **kwargs):
    """dtrace on a program that calls f once, after before() in its process."""
    return subprocess.run([harness.DTRACE, *(options or ('-qn', PROGRAM)), '-c',
                           harness.target('once')],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=30, check=False,
                          preexec_fn=before, start_new_session=True, **kwargs)


def closed_descriptors():
    """No descriptor of ours takes the place of a closed standard one."""
    for closed in ((0,), (2,), (0, 2)):
        result = start(lambda fds=closed: [os.close(fd) for fd in fds])
        harness.check(result.returncode == 0 and harness.counts(result.stdout) == {'f': 1},
                      '%s closed: %s', closed, result)
    result = start(lambda: os.close(1))
    harness.check(result.returncode == 1, 'stdout closed: %s', result)
    harness.check(re.fullmatch(r'dtrace: .*: Bad file descriptor\n', result.stderr),
                  'stdout closed: %s', result)
    result = start(lambda: os.closerange(0, 3))
    harness.check(result.returncode == 1, 'all closed: %s', result)


def closed_in_target():
    """The program finds closed what was closed for dtrace."""
    result = subprocess.run(
        [harness.DTRACE, '-o', os.devnull, '-n', 'BEGIN {}', '-c', '/bin/ls /proc/self/fd'],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=30, check=False,
        preexec_fn=lambda: os.close(0))
    # ls opens the folder as the lowest free one
    harness.check(result.stdout.split() == ['0', '1', '2'], 'it sees %s', result)


def few_descriptors():
    """As few as there may be: it works or says why not."""
    for n in range(4, 30):
        result = start(lambda n=n: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n)))
        if result.returncode == 0:
            harness.check(harness.counts(result.stdout) == {'f': 1}, '%d: %s', n, result)
            continue
        harness.check(result.returncode == 1 or n < 6, '%d: %s', n, result)
        harness.check(n < 16, 'it needs more than %d: %s', n, result)
        harness.check('Too many open files: raise the limit of open files (ulimit -n)'
                      in result.stderr or n < 6, '%d: %s', n, result)


def limit_files(n):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (n, n))


def small_files():
    """A limit of what files may grow to is not ours to die of."""
    result = start(limit_files(0))
    harness.check(result.returncode == 1 and
                  'raise the limit of file sizes (ulimit -f)' in result.stderr, '%s', result)


def limited_files():
    """Buffers have what a limit of file sizes leaves: notices where that is less than was
    asked for, none with -q, and an error where an option forbids less."""
    for provider, least in (('pid', 4 << 20), ('fpid', 8 << 20)):
        program = PROGRAM.replace('pid$', provider + '$')
        for limit in (least, 64 << 20, 256 << 20, 1 << 40):
            result = start(limit_files(limit), '-qn', program)
            harness.check(result.returncode == 0 and not result.stderr and
                          harness.counts(result.stdout) == {'f': 1},
                          '%s, %d: %s', provider, limit, result)
    # it is enough for all that one thread was promised, or not
    for limit, is_less in ((64 << 20, False), (4 << 20, True)):
        result = start(limit_files(limit), '-n', PROGRAM)
        harness.check(result.returncode == 0 and
                      is_less == ('aggregation size lowered to' in result.stderr) and
                      is_less == ('the limit of file sizes (ulimit -f) is 4096 kB'
                                  in result.stderr), '%d: %s', limit, result)
    result = start(limit_files(64 << 20), '-qn', PROGRAM, '-x', 'bufsize=128m')
    harness.check(result.returncode == 0 and
                  result.stderr == 'dtrace: buffer size lowered to 32m\n', '%s', result)
    result = start(limit_files(64 << 20), '-qn', PROGRAM, '-x', 'bufsize=128m', '-x',
                   'bufresize=manual')
    harness.check(result.returncode == 1 and 'ulimit -f' in result.stderr, '%s', result)


def jumps_under_limit():
    """A limit of file sizes leaves a program its jumps. (A block of the build with small
    limits has room for 8,192 sites at least.)"""
    limit = (64 if harness.is_small() else 8) << 20
    result = start(limit_files(limit), '-qn', 'fpid$target:a.out:main:entry '
                   '{ @["main"] = count(); } diag:::site { printf("%s\\n", args[1]); }')
    harness.check(result.returncode == 0 and result.stdout.startswith('jump\n') and
                  not result.stderr, '%s', result)


def limit_addresses(n):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (n, n))


def few_addresses():
    """Buffers that a limit of addresses forbids: the limit is named, with both sizes."""
    if harness.is_small():
        raise harness.Skipped('the sanitizers reserve more addresses than any limit has')
    fast = PROGRAM.replace('pid$', 'fpid$')
    result = start(limit_addresses(1 << 30), '-qn', fast)
    said = re.fullmatch(r'dtrace: could not enable tracing: the buffers need (\d+) kB, and '
                        r'the limit of addresses \(ulimit -v\) is 1048576 kB: raise it\n',
                        result.stderr)
    harness.check(result.returncode == 1 and said, '%s', result)
    need = int(said.group(1)) << 10
    result = start(limit_addresses(need), '-qn', fast, '-x', 'bufresize=manual')
    harness.check(result.returncode == 1 and 'ulimit -v' in result.stderr, '%s', result)
    # with smaller buffers it works
    result = start(limit_addresses(need), '-qn', fast)
    harness.check(result.returncode == 0 and not result.stderr, '%s', result)
    result = start(limit_addresses(need), '-n', fast)
    harness.check(result.returncode == 0 and
                  re.search(r'^dtrace: the buffers asked for need %d kB, and the limit of '
                            r'addresses \(ulimit -v\) is %d kB$' % (need >> 10, need >> 10),
                            result.stderr, re.M), '%s', result)


def few_addresses_there():
    """A process with hardly any gets breakpoints, and the reason says why."""
    if harness.is_small():
        raise harness.Skipped('the sanitizers reserve more addresses than any limit has')
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'file')
        with subprocess.Popen([harness.target('demoted'), 'nothing', 'before', path],
                              stdout=subprocess.DEVNULL,
                              preexec_fn=limit_addresses(1 << 24)) as p:
            harness.until(lambda: os.path.exists(path), 20, 'it begins')
            try:
                result = harness.run([
                    harness.DTRACE, '-wqp', str(p.pid), '-n',
                    'fpid$target:a.out:work:entry { @["work"] = count(); } '
                    'diag:::site { printf("%s: %s\\n", args[1], args[2]); } '
                    'tick-50ms { system("rm -f ' + path + '"); }'])
            finally:
                p.kill()
    harness.check(harness.counts(result.out) == {'work': 1000} and
                  re.search('^breakpoint: a limit of addresses .ulimit -v., of the process',
                            result.out, re.M), '%s', result)


def limit_of_stacks(n):
    return lambda: resource.setrlimit(resource.RLIMIT_STACK, (n, n))


def small_stacks():
    """A small limit of stacks changes nothing: for deep programs, aggregations, names of a
    process's stack."""
    deep = 'pid$target:a.out:f:entry { @["f"] = sum(%s1%s); @s[ustack()] = count(); }' % (
        '(1 - ' * 900, ')' * 900)
    for limit in (1 << 16, 1 << 18, 1 << 20):
        result = start(limit_of_stacks(limit), '-qn', deep)
        # the address sanitizer warns of stacks that a program makes
        harness.check(result.returncode == 0 and (harness.is_small() or not result.stderr) and
                      "once`main+" in result.stdout and
                      re.search(r'^ +f +1$', result.stdout, re.M), '%d: %s', limit, result)


def owner_of(pid):
    try:
        return os.stat('/proc/' + pid).st_uid
    except OSError:
        return -1


def few_processes():
    """As few threads and processes as a user may have: it works or names the limit."""
    def limit(n):
        resource.setrlimit(resource.RLIMIT_NPROC, (n, n))
        os.setgroups([])
        os.setgid(LONE_USER)
        os.setuid(LONE_USER)

    if os.geteuid() != 0:
        raise harness.Skipped('only root can become a user without other processes')
    def is_alone():
        return not any(owner_of(pid) == LONE_USER for pid in filter(str.isdigit,
                                                                    os.listdir('/proc')))
    for n in range(1, 40):
        # the helper process of the run before may still be on its way out
        harness.until(is_alone, 20, 'the end of all processes of that user')
        result = start(lambda n=n: limit(n))
        if result.returncode == 0:
            harness.check(harness.counts(result.stdout) == {'f': 1}, '%d: %s', n, result)
            break
        harness.check(result.returncode == 1 and 'raise the limit of processes (ulimit -u'
                      in result.stderr, '%d: %s', n, result)
    harness.check(1 < n < 30, 'it needs %d', n)


harness.main({f.__name__: f for f in (
    closed_descriptors, closed_in_target, few_descriptors, few_addresses,
    few_addresses_there, small_files, limited_files, jumps_under_limit, small_stacks,
    few_processes)})
