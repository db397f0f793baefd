#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tools of samples/tools, as users start them: by name. Each answers for a running
redis-server, for python3 and for a C++ program (targets/code/workload.cpp), where its
numbers are those that the program knows."""
import os
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness  # noqa: E402
from world import Redis  # noqa: E402

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(harness.DTRACE))),
                      'share', 'dtrace', 'tools')


def names():
    return sorted(name[:-2] for name in os.listdir(FOLDER) if name.endswith('.d'))


def complaints(err):
    return [line for line in err.splitlines()
            if re.search(r'dtrace: .*(\bdrops?\b|failed|error on enabled probe|aborted)', line)]


def tool(name, command, *arguments, options=(), env=None):
    """What `dtrace -s NAME -c COMMAND ARGUMENTS` prints."""
    with tempfile.TemporaryDirectory(prefix='tools-') as folder:
        data = os.path.join(folder, 'data')
        result = harness.run([harness.DTRACE, '-o', data, *options, '-s', name, '-c', command,
                              *arguments], cwd=folder, timeout=100, env=env)
        with open(data, encoding='utf-8', errors='replace') as f:
            result.data = f.read()
    harness.check(result.status == 0 and not complaints(result.err), '%s: %s', name, result)
    return result.data


def expect(name, text, patterns):
    """Each pattern is found in the text; a pair (pattern, n) n times."""
    for pattern in patterns:
        pattern, times = pattern if isinstance(pattern, tuple) else (pattern, 0)
        found = sum(1 for _ in re.finditer(pattern, text, re.M))
        harness.check(found == times if times else found, '%s: %d times %r in\n%s', name, found,
                      pattern, text)


# What each tool must say of parts of the workload: NAME, part, arguments, patterns.
EXACT = [
    ('topfunc', 'calls', (), [r'^MODULE +FUNCTION +OWN-US +SHARE +TOTAL-US +CALLS '
                              r'+LONGEST-US$',
                              r'^workload +price +\d+ +\d+\.\d\d% +\d+ +1000 +\d+$',
                              r'^workload +buy +\d+ +\d+\.\d\d% +\d+ +600 +\d+$',
                              r'^workload +sell +\d+ +\d+\.\d\d% +\d+ +400 +\d+$']),
    ('topfunc', 'throws', (), [r'^workload +risky +\d+ +\S+% +\d+ +4 ',
                               r'^workload +careful .* 10 ',
                               r'^workload +main .* 1 +\d+$']),
    ('funccount', 'calls throws', ('*', 'a.out'), [r'^workload +price +1004$',
                                                   r'^workload +risky +10$']),
    ('funccount', 'calls', (), [r'^workload +price +1000\n']),
    ('funclatency', 'sleeps', ('nap',), [r'^workload`nap, nanoseconds:$',
                                         r'^ +\d{8,} \|@+ ', r'^workload +nap .* 3$']),
    ('funcslower', 'sleeps', ('*n*', 'a.out', '30000'),
     [r'^ +TIME-MS +TID +US  CALL$',
      (r'\d+ +nap\(0x1e, 0x\w+, 0x\w+, 0x\w+\) = 0x25\n +workload`nap\+', 3)]),
    ('funcargs', 'sleeps', ('blink',), [r'-> blink\(0x3, ', (r'<- blink = 0x\d \(\d\)$', 4),
                                        r'<- blink = 0x4 \(4\)$']),
    ('flow', 'calls', ('[bp]*[ye]',), [r'^ +\d +-> buy +\d+ us, thread \d+$',
                                       (r'^ +\d  +-> buy .*\n +\d    +-> price .*\n'
                                        r' +\d    +<- price .*\n +\d  +<- buy ', 600)]),
    ('callers', 'calls', ('price',), [r'^price +workload`buy\+0x\w+ +600 +60\.00%$',
                                      r'^price +workload`sell\+0x\w+ +400 +40\.00%$',
                                      r'^price, called 600 times \(60\.0%\) from\n+ +workload`price\n'
                                      r' +workload`buy\+']),
    ('offcpu', 'sleeps', (), [r'^clock_nanosleep\n(\S+`.*\n)*workload`nap\+.*\n'
                              r'(\S+`.*\n)* +[1-9]\d{4,} us in 3 calls$']),
    ('wait', 'sleeps locks', (), [r'^ +\d+ workload +clock_nanosleep +- +[1-9]\d{4,} +3 +\d+$',
                                  r'(^ +\d+ workload +workload`till +[1-9]\d{3,} .*\n'
                                  r'(.*\n)*?){5}']),
    ('mutex', 'locks', (), [r'^workload`\w+ +25 +5 +\d+ +\d+ +\d+$',
                            r'^workload`\w+ was waited for \d+ us by\n\n[^\n]*lock\+\S+\n'
                            r' +workload`pay\+',
                            r'^workload`\w+ was held for \d+ us until\n\n[^\n]*unlock\n'
                            r' +workload`serve_customer\+']),
    ('memleak', 'leaks', (), [r'^workload`lose\+0x\w+ +3000 +3$',
                              r'^workload`lose_aligned\+0x\w+ +15000 +3$',
                              r'^workload`churn\+0x\w+ +0 +0$']),
    ('mallocsize', 'leaks', (), [r'^malloc +workload`churn\+0x\w+ +6400 +\d+\.\d\d% '
                                r'+100 +64$',
                                 r'^ +64 \|@+ +100 +$', r'^ +512 \|@* +3 +$']),
    ('heapgrowth', 'grows', (), [r'^mmap, [48]\d{3} KiB more from\n',
                                 r'^munmap +0 +4\d{3} +\d+$']),
    ('opens', 'files fails', (), [(r'^ +\d+ +\d+ workload +\d+ +0 /tmp/workload-\w{6}$', 8),
                                  (r'^ +\d+ +\d+ workload +-1 +2 /nonexistent/workload$', 4)]),
    ('execs', 'children', (), [r'^ +\d+ +\d+ +\d+ +0 /bin/true word$',
                               r'^ +\d+ +\d+ +\d+ +2 /nonexistent/program$']),
    ('exits', 'children', (), [r'^ +\d+ +\d+ +\d+ true +exit +0 +\d+$',
                               r'^ +\d+ +\d+ +\d+ workload +exit +3 +\d+$',
                               r'^ +\d+ +\d+ +\d+ workload +signal +9 +\d+$',
                               r'^ +\d+ +\d+ +\d+ workload +exit +0 +\d+$']),
    ('signals', 'signals', (), [r'^ +(\d+) SIGUSR1 +\1 +2 +0$', r'^ +\d+ .* SIGUSR2 +\d+ ignored$',
                              r'^ +(\d+) SIGUSR2 +\1 +1 +1$']),
    ('sysslow', 'sleeps', ('20000',), [(r'clock_nanosleep\(0x0, 0x0, 0x\w+\) = 0, errno 0\n', 3),
                                       (r'^ +workload`nap\+', 3),
                                       r'^clock_nanosleep +\d+ +3 +\d+$']),
    ('sysfail', 'fails', (), [r'^open(at)? +ENOENT +2 +4$',
                              r'^open(at)?, ENOENT, 4 times from\n\n(.+\n)* +workload`miss\+']),
    ('rwtop', 'files', (), [r'^workload +write /tmp/workload-\S+ +1000 +10 +100$',
                            r'^workload +read +/tmp/workload-\S+ +1000 +5 +200$']),
    ('connects', 'sockets', (), [r'^ +\d+ +\d+ workload +connect +\d+ +\d+ +0 127\.0\.0\.1:\d+$',
                                 r'^ +\d+ +\d+ workload +accept +\d+ +\d+ +0 127\.0\.0\.1:\d+$',
                                 r'workload +connect .* 2 unix:/nonexistent/socket$']),
    ('oncpu', 'spins', (), [r'^workload +\d+ workload`spin +[1-9]\d +[1-9]\d*\.\d\d%$',
                            r'^[1-9]\d samples in all$']),
    ('hot', 'spins', (), [r'^workload`spin\+0x\w+ +[1-9]\d+ +[1-9]\d*\.\d\d%$']),
    ('flame', 'spins', (), [r'workload`spin\+0x\w+\n +workload`main\+0x\w+\n'
                             r'( +\S+`.*\n)+ +[1-9]\d+ +[1-9]\d*\.\d\d%$',
                             r'^  [1-9]\d+ in all$']),
    ('threads', 'locks spins', (), [(r'thread \d+ makes thread \d+$', 5),
                                    r'^ +(\d+) +\1 workload +[1-9]\d\d +\d+ +\d+ +\d+$',
                                    r'^ +\d+ ms: thread \d+ \(workload\) ends$']),
]


def exact(part):
    def case():
        workload = harness.target('workload')
        for name, work, arguments, patterns in part:
            expect(name, tool(name, '%s %s' % (workload, work), *arguments), patterns)
    return case


PYTHON = r'''
import os, socket, subprocess, threading, time
def work():
    for i in range(20):
        with lock:
            open("/etc/hostname").read()
            time.sleep(0.001)
lock = threading.Lock()
threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads: t.start()
for t in threads: t.join()
subprocess.run(["/bin/true"])
os.kill(os.getpid(), 0)
a, b = socket.socket(), socket.socket()
a.bind(("127.0.0.1", 0)); a.listen(1)
b.connect(a.getsockname()); a.accept()
x = bytearray(64 << 20)
end = time.process_time() + 0.2
while time.process_time() < end: sum(range(1000))
try: open("/nonexistent/python")
except OSError: pass
'''

# What each tool says of a Python script; functions are those of the interpreter and libc.
OF_PYTHON = {
    'topfunc': ((), r'^\S+ +\w+ +\d+ +\d+\.\d\d% +\d+ +\d+ +\d+$'),
    'funccount': (('*open*', 'libc'), r'^libc\S+ +open(64)? +[1-9]\d*$'),
    'funclatency': (('*read', 'libc'), r'^libc.so.6 +read .* [1-9]\d+$'),
    'funcslower': (('*nanosleep', 'libc', '900'), r'clock_nanosleep\(0x1, .*\) = 0x0$'),
    'funcargs': (('open64', 'libc'),
                 r'-> open64\(0x\w+, 0x\w+, .*\n(.*\n)*.*<- open64 = 0x\w+ \(\d+\)$'),
    'flow': (('clock_nanosleep', 'libc'), r' <- clock_nanosleep .* us, thread \d+$'),
    'callers': (('clock_nanosleep', 'libc'), r'^clock_nanosleep +\S+ +40 100.00%$'),
    'offcpu': ((), r'^clock_nanosleep\n\S+`'),
    'wait': ((), r'^ +\d+ \S+ +clock_nanosleep +- +\d+ +20 '),
    'mutex': ((), r'^MUTEX .*\n\S+ +[1-9]\d*( +\d+){4}$'),
    'memleak': (('libc',), r'^NOT FREED.*\n\S+`\S+ +[1-9]\d* +[1-9]\d*$'),
    'mallocsize': (('libc',), r'^malloc +\S+ +\d+ +\d+\.\d\d% +\d+ +\d+$'),
    'heapgrowth': ((), r'^mmap +\d{5,} '),
    'opens': ((), r' 0 /etc/hostname$'),
    'execs': ((), r' 0 /bin/true$'),
    'exits': ((), r' true +exit +0 +\d+$'),
    'signals': ((), r'^ +\d+ SIGCHLD +0 +1 +1$'),
    'sysslow': (('900',), r'^ +\d.* clock_nanosleep\('),
    'sysfail': ((), r'^openat +ENOENT +2 +[1-9]'),
    'rwtop': (('200',), r'^\S+ +read +/etc/hostname +[1-9]\d+ +\d+ +\d+$'),
    'connects': ((), r' connect .* 0 127\.0\.0\.1:\d+$'),
    'oncpu': ((), r'^\S+ +\d+ \S+`\S+ +[1-9]\d* +\d+\.\d\d%$'),
    'hot': ((), r'^\S+`\S+ +[1-9]\d* +\d+\.\d\d%$'),
    'flame': ((), r'^ +\S+`\S+\n +[1-9]\d* +\d+\.\d\d%$'),
    'threads': ((), r'^ +(\d+) +\1 \S+ +\d+ +\d+ +\d+ +\d+$'),
}


def python(part):
    def case():
        with tempfile.TemporaryDirectory(prefix='tools-python-') as folder:
            path = os.path.join(folder, 'script.py')
            with open(path, 'w', encoding='utf-8') as f:
                f.write(PYTHON)
            command = '%s -SsE %s' % (os.path.realpath(sys.executable), path)
            for name, (arguments, pattern) in list(OF_PYTHON.items())[part]:
                expect(name, tool(name, command, *arguments), [pattern])
    return case


def compute(server):
    """Some tenths of a second."""
    server.ask('eval', 'local x = 0 for i = 1, 2e7 do x = x + i end return x', '0')


def hang_up(server):
    """When it answers, it has taken the signal."""
    server.process.send_signal(signal.SIGHUP)
    server.ask('ping')


def restart(server):
    """It executes itself."""
    subprocess.run([harness.installed('redis-cli'), '-s', server.socket, 'debug', 'restart'],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60, check=False)

    def answers():
        try:
            return 'PONG' in server.ask('ping')
        except subprocess.CalledProcessError:
            return False
    harness.until(answers, 30, 'the server again')


# What each tool says of a server that a benchmark asks 600 times to set and to get, and that
# does what else is said.
OF_REDIS = {
    'topfunc': ((), r'^redis-\S+ +(call|processCommand) +\d+ +\S+% +\d+ +6\d\d '),
    'funccount': (('call', 'a.out'), r'^redis-\S+ +call +6\d\d$'),
    'funclatency': (('call',), r'^redis-\S+ +call .* 6\d\d$'),
    'funcslower': (('call', 'a.out', '0'), r' call\(0x\w+, .*\n +redis-\S+`call\+'),
    'funcargs': (('call',), r' -> call\(0x\w+, .*\n.* <- call = 0x'),
    'flow': (('*Command',), r' -> setCommand +\d+ us, thread \d+$'),
    'callers': (('call', 'a.out'), r'^call +redis-\S+`processCommand\+0x\w+ +6\d\d +\d'),
    'offcpu': ((), r'^epoll_wait\n(\S+\n)*redis-\S+`aeMain'),
    'wait': ((), r'^ +\d+ redis-\S+ +epoll_wait +\S*eventpoll\S* '),
    'mutex': ((), r'`bioCreateLazyFreeJob\+(.*\n)*MUTEX.*\n\S+ +[1-9]\d*( +\d+){4}$',
              lambda s: s.ask('flushall', 'async')),
    'memleak': ((), r'^NOT FREED.*\n\S+`\S+ +-?\d+ +-?\d+$'),
    'mallocsize': ((), r'^(m|c)alloc +\S+ +\d+ +\d+\.\d\d% +\d+ +\d+$'),
    'heapgrowth': ((), r'^mmap +\d{5} +',
                   lambda s: s.ask('setrange', 'large', str(32 << 20), 'end')),
    'opens': ((), r'^ +\d+ +\d+ redis-\S+ +\d+ +0 temp-\d+\.rdb$', lambda s: s.ask('save')),
    'execs': ((), r'^ +\d+ +\d+ +\d+ +0 \S+/redis-server( |$)', restart),
    'exits': ((), r'^ +\d+ +\d+ +\d+ redis-\S+ +exit +0 +\d+$', Redis.save),
    'signals': ((), r'^ +\d+ SIGHUP +%d +1 +1$' % os.getpid(),
                hang_up),
    'sysslow': (('0',), r' read\(0x\w+, 0x\w+, 0x\w+\) = \d+, errno 0\n( +\S+`.*\n)+'),
    'sysfail': ((), r'^(read|accept4?) +EAGAIN +11 +[1-9]'),
    'rwtop': ((), r'^redis-\S+ +read +socket:\[\d+\] +[1-9]\d+ +\d+ +\d+$'),
    'connects': ((), r' redis-\S+ +accept4? +\d+ +\d+ +0 unix'),
    'oncpu': ((), r'^redis-\S+ +\d+ redis-\S+`\w+ +[1-9]\d* +\d+\.\d\d%$', compute),
    'hot': ((), r'^redis-\S+`\w+(\+0x\w+)? +[1-9]\d* +\d+\.\d\d%$', compute),
    'flame': ((), r'^ +redis-\S+`processCommand\+.*\n( +\S+`.*\n)+ +[1-9]\d* +\d+\.\d\d%$',
              compute),
    'threads': ((), r'^ +(\d+) +\1 redis-\S+ +\d+ +\d+ +\d+ +[1-9]\d+$'),
}


def attached(name, server, arguments, work):
    """What a tool prints that was attached to the server while it was asked."""
    with tempfile.TemporaryDirectory(prefix='tools-') as folder, \
            tempfile.TemporaryFile('w+', errors='replace') as err:
        data = os.path.join(folder, 'data')

        def printed():
            with open(data, encoding='utf-8', errors='replace') as f:
                return f.read()

        p = subprocess.Popen(
            [harness.DTRACE, '-x', 'argref', '-o', data, '-x', 'switchrate=20ms', '-s', name,
             '-p', str(server.process.pid),
             '-n', 'tick-20ms /!ticks_of_test++/ { printf("on\\n"); }', *arguments],
            stdin=subprocess.DEVNULL, stdout=err, stderr=err, start_new_session=True,
            env=dict(os.environ, LC_ALL='C'))
        try:
            harness.until(lambda: p.poll() is not None or os.path.exists(data) and
                          re.search('on$', printed(), re.M), 60, name + ' has begun')
            subprocess.run([harness.installed('redis-benchmark'), '-s', server.socket,
                            '-n', '300', '-c', '2', '-q', '-t', 'set,get'], check=True,
                           timeout=60, stdout=err, stderr=err)
            work(server)
            p.send_signal(signal.SIGINT)
            p.wait(60)
        finally:
            p.kill()
            p.wait()
        messages = [line for line in harness.content(err).splitlines() if 'dtrace' in line]
        harness.check(p.returncode == 0 and not complaints('\n'.join(messages)), '%s: %s %s',
                      name, p.returncode, messages)
        return printed()


def redis(part):
    def case():
        with tempfile.TemporaryDirectory(prefix='tools-redis-') as folder, \
                Redis(folder) as server:
            for name, (arguments, pattern, *work) in list(OF_REDIS.items())[part]:
                found = attached(name, server, arguments, work[0] if work else lambda _: None)
                expect(name, found, [pattern])
    return case


def lookup():
    """-s NAME: a file of the current folder first, then a tool; a path is a path."""
    with tempfile.TemporaryDirectory(prefix='tools-lookup-') as folder:
        def dtrace(*words):
            return harness.run([harness.DTRACE, *words], cwd=folder)

        result = dtrace('-e', '-s', 'opens', '-c', '/bin/true')
        harness.check(result.status == 0, 'by name: %s', result)
        harness.check(dtrace('-e', '-s', 'opens.d', '-c', '/bin/true').status == 0, 'by file name')
        for name in ('./opens', 'tools/opens', '../opens', 'nosuch.d', ''):
            result = dtrace('-s', name)
            harness.check(result.status == 1 and result.err ==
                          'dtrace: failed to open %s: No such file or directory\n' % name,
                          '%s: %s', name, result)
        result = dtrace('-s', 'nosuch')
        listed = re.findall(r'^  (\w+) +(.*)$', result.err, re.M)
        harness.check(result.status == 1 and [name for name, _ in listed] == names() and
                      all(question.endswith('?') for _, question in listed), 'list: %s', result)
        harness.check(result.err.startswith('dtrace: failed to open nosuch: No such file or '
                                            'directory; these tools exist:\n'), '%s', result)
        with open(os.path.join(folder, 'opens'), 'w', encoding='utf-8') as f:
            f.write('BEGIN { printf("mine\\n"); exit(7); }')
        result = dtrace('-qs', 'opens')
        harness.check(result.status == 7 and result.out == 'mine\n\n', 'own file: %s', result)


def of_processes():
    """Those for a process; events.tools has those of the whole machine."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../samples/tools')
    return sorted(name[:-2] for name in os.listdir(folder))


def complete():
    """Every tool for a process is run with each program, and its head says how."""
    for table in ({entry[0] for entry in EXACT}, set(OF_PYTHON), set(OF_REDIS)):
        harness.check(sorted(table) == of_processes(), 'not tried: %s',
                      set(of_processes()) ^ table)
    for name in of_processes():
        with open(os.path.join(FOLDER, name + '.d'), encoding='utf-8') as f:
            text = f.read()
        head = text[:text.index('#pragma')]
        harness.check(re.match(r'/\* SPDX-License-Identifier: MIT \*/\n/\* .*\?\n \*\n'
                               r' \*\tdtrace -s %s -c CMD \| -p PID\b' % name, head),
                      '%s: its head does not say how it is used', name)
        harness.check(len(re.findall(r'^ \*\tdtrace .*-s %s -[cp] [^C]' % name, head, re.M)) == 2,
                      '%s: no two examples', name)


def thirds(make, table):
    """Three cases of a table, so that they can run at the same time."""
    n = (len(table) + 2) // 3
    return [make(slice(i * n, (i + 1) * n)) for i in range(3)]


CASES = {'lookup': lookup, 'complete': complete}
for number, (ours, snake, server_part) in enumerate(zip(
        [exact(EXACT[i::3]) for i in range(3)], thirds(python, OF_PYTHON),
        thirds(redis, OF_REDIS))):
    CASES['exact_%d' % (number + 1)] = ours
    CASES['python_%d' % (number + 1)] = snake
    CASES['redis_%d' % (number + 1)] = server_part

if __name__ == '__main__':
    harness.main(CASES)
