# SPDX-License-Identifier: MIT
"""What fpid holds in the memory of a program that it traces, from /proc/PID/smaps.

A mapping is ours when the program did not have it before. Resident pages count, whoever
else shares them; pages of the program's own text that jumps are written to do not.
"""
import re
import struct
import subprocess
import time

# What a program with one thread may have besides its sites.
FIXED = (1 << 20) + (16 << 10)

STILL = 30  # tenths of a second without a change: all sites are set

PROGRAM = '''
import json, re, sqlite3, sys
def work():
    db = sqlite3.connect(':memory:')
    db.execute('create table t(a, b)')
    for i in range(2000):
        db.execute('insert into t values(?, ?)', (i, str(i)))
    rows = db.execute('select a from t order by b').fetchall()
    return len(rows) + len(json.dumps(rows)) + len(re.findall('[0-9]+', str(rows)))
print('ready', flush=True)
for line in sys.stdin:
    print(work(), flush=True)
'''


def mappings(pid):
    """{(address, permissions, name): resident bytes}"""
    held, key = {}, None
    with open('/proc/%d/smaps' % pid, encoding='utf-8') as f:
        for line in f:
            m = re.match(r'([0-9a-f]+)-\w+ (\S+) \S+ \S+ \S+ *(.*)$', line)
            if m:
                key = int(m.group(1), 16), m.group(2), m.group(3)
            elif line.startswith('Rss:'):
                held[key] = int(line.split()[1]) * 1024
    return held


class Held:
    """A program under dtrace that waits for lines on its input."""

    def __init__(self, dtrace, clauses, command):
        self.program = subprocess.Popen(command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.program.stdout.readline()
        self.before = mappings(self.program.pid)
        self.dtrace = subprocess.Popen([dtrace, '-qn', clauses, '-p', str(self.program.pid)],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       text=True)
        self.wait_for_sites()

    def ours(self):
        return {key: rss for key, rss in mappings(self.program.pid).items()
                if key not in self.before and '[' not in key[2] and
                (not key[2] or 'memfd:' in key[2])}

    def wait_for_sites(self):
        last, still = None, 0
        for _ in range(600):
            now = sum(self.ours().values())
            still = still + 1 if now and now == last else 0
            if still == STILL:
                return
            last = now
            time.sleep(0.1)
        raise RuntimeError('no sites after a minute')

    def work(self):
        self.program.stdin.write('\n')
        self.program.stdin.flush()
        return self.program.stdout.readline()

    def bytes(self):
        return sum(self.ours().values())

    def sites(self):
        """Each has a word near its stub, which is not 0."""
        n = 0
        with open('/proc/%d/mem' % self.program.pid, 'rb', 0) as mem:
            for at, permissions, name in self.ours():
                if permissions == 'rw-p' and not name:
                    n += self.words(mem, at)
        return n

    @staticmethod
    def words(mem, at):
        n = 0
        mem.seek(at)
        while True:
            try:
                page = mem.read(4096)
            except OSError:
                return n
            used = sum(1 for word, in struct.iter_unpack('<Q', page) if word)
            if not used:
                return n
            n += used

    def end(self):
        self.program.stdin.close()
        self.program.wait()
        self.dtrace.communicate()


def a_site(dtrace):
    """Bytes a site above FIXED, with every function of python3 counted."""
    held = Held(dtrace, 'fpid$target:::entry, fpid$target:::return { @ = count(); }',
                ['/usr/bin/python3', '-S', '-c', PROGRAM])
    try:
        for _ in range(2):
            held.work()
        return (held.bytes() - FIXED) / held.sites()
    finally:
        held.end()


def a_thread(dtrace, hot):
    """Bytes that a thread adds: before its first hit, and when it has counted."""
    before, after = [], []
    for threads in (1, 64):
        h = Held(dtrace, 'fpid$target:a.out:hot:entry { @ = count(); }',
                 [hot, '64', str(threads), 'loop', 'waiting'])
        try:
            before.append(h.bytes())
            h.work()
            after.append(h.bytes())
        finally:
            h.end()
    return (before[1] - before[0]) / 63, (after[1] - after[0]) / 63
