#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plans that are kept for later runs: with them the text of a program is patched as without,
to the byte, and whatever is wrong with what was kept, it is planned anew.

The program sums up its own C library, all of whose functions are traced, at the same
addresses in each run.
"""
import concurrent.futures
import os
import random
import re
import shutil
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402

PROGRAM = ('fpid$target:libc.so.6::entry, fpid$target:libc.so.6::return'
           ' { @ = count(); }')
# Reads itself as it is in memory: with the jumps.
SUMS = '''
import hashlib, re
for line in open('/proc/self/maps'):
    found = re.match('(\\\\w+)-(\\\\w+) r-xp .*/libc.so.6$', line)
    if found:
        lo, hi = (int(x, 16) for x in found.groups())
        with open('/proc/self/mem', 'rb', 0) as f:
            f.seek(lo)
            print('text', hashlib.sha256(f.read(hi - lo)).hexdigest())
'''


HEAD = 240  # bytes; the last 24 are the length and the sums of what follows
MASK = (1 << 64) - 1


def fold(h, word, factor):
    product = (h ^ word) * factor
    return (product ^ product >> 64) & MASK


def hash_of(data, seed):
    """hash_bytes() of vm/base/hash.c."""
    factor = (0x9e3779b97f4a7c15 ^ seed) | 1
    h, n = 0xcbf29ce484222325 ^ seed, len(data)
    whole, paired = n - n % 8, n - n % 16 if n >= 32 else 0
    if paired:
        other = ~h & MASK
        for first, second in struct.iter_unpack('<QQ', data[:paired]):
            h = fold(h, first, factor)
            other = fold(other, second, factor)
        h = fold(h, (other << 32 | other >> 32) & MASK, factor)
    for (word,) in struct.iter_unpack('<Q', data[paired:whole]):
        h = fold(h, word, factor)
    if n % 8:
        h = fold(h, int.from_bytes(data[whole:], 'little'), factor)
    h ^= n % 8
    h ^= h >> 30
    h = h * 0xbf58476d1ce4e5b9 & MASK
    h ^= h >> 27
    h = h * 0x94d049bb133111eb & MASK
    return (h ^ h >> 31) or 1


def sum_of(data, seed):
    """As tracer/plancache/plancache.c has it, piece by piece."""
    for at in range(0, len(data), 65536):
        seed = hash_of(data[at:at + 65536], seed)
    return seed


class Kept:
    """A folder for plans, and runs that use it."""

    def __init__(self, folder):
        self.parent = folder
        self.path = os.path.join(folder, 'dtrace')
        self.script = os.path.join(folder, 'sums.py')
        self.env = {'XDG_CACHE_HOME': self.parent, 'DTRACE_DEBUG': 'plan'}
        with open(self.script, 'w', encoding='utf-8') as f:
            f.write(SUMS)

    def command(self, *options):
        return [harness.installed('setarch'), '-R', harness.DTRACE, '-q', *options, '-n', PROGRAM,
                '-c', '%s -S -E %s' % (sys.executable, self.script)]

    def run(self, *options):
        """The sum of the patched text, and what became of the plans that were kept."""
        result = harness.run(self.command(*options), env=self.env, timeout=100)
        harness.check(result.status == 0, '%s', result)
        texts = [line for line in result.out.splitlines() if line.startswith('text ')]
        harness.check(len(texts) == 1, '%s', result)
        said = [line for line in result.err.splitlines() if 'libc.so.6' in line]
        if any('do not fit' in line for line in said):
            return texts[0], 'rejected'
        return texts[0], 'used' if any('plans are kept' in line for line in said) else 'none'

    def expect(self, text, what, why):
        found = self.run()
        harness.check(found == (text, what), '%s: %s, not %s', why, found, (text, what))

    def file(self, kind='plans'):
        found = {n.split('.')[-1]: n for n in os.listdir(self.path)}
        harness.check(sorted(found) == ['exits', 'plans'], '%s', found)
        harness.check(len(os.listdir(self.path)) == 2, '%s', os.listdir(self.path))
        return os.path.join(self.path, found[kind])

    def change(self, edit, kind='plans'):
        """Puts what edit() makes of the file's bytes in its place."""
        with open(self.file(kind), 'r+b') as f:
            data = edit(bytearray(f.read()))
            f.seek(0)
            f.truncate()
            f.write(data)


def same():
    """The first run keeps plans, the second one uses them, with the option neither does."""
    with tempfile.TemporaryDirectory(prefix='plans-') as folder:
        kept = Kept(folder)
        plain, what = kept.run('-x', 'plancache=off')
        harness.check(what == 'none' and not os.path.exists(kept.path), '%s', what)
        kept.expect(plain, 'none', 'first run')
        kept.expect(plain, 'used', 'second run')
        text, what = kept.run('-x', 'plancache=off')
        harness.check((text, what) == (plain, 'none'), '%s', what)
        return 'equal text; %d bytes of plans' % os.path.getsize(kept.file())


def flip(at):
    def edit(data):
        data[at] ^= 0x10
        return data
    return edit


DAMAGED = {
    'a byte of a plan': flip(-100), 'the first plan': flip(HEAD), 'the name': flip(3),
    'the version': flip(16), 'the dtrace': flip(40), 'the sum': flip(HEAD - 1),
    'the wants': flip(HEAD - 30), 'the length': flip(HEAD - 24),
    'a part': lambda data: data[:len(data) // 2], 'less than the head': lambda data: data[:99],
    'nothing': lambda data: b'', 'too much': lambda data: data + b'more',
}


def damaged():
    """What is not what was written is not used, and replaced."""
    with tempfile.TemporaryDirectory(prefix='plans-') as folder:
        kept = Kept(folder)
        plain, _ = kept.run()
        with open(kept.file(), 'rb') as f:
            whole = f.read()
        for why, edit in DAMAGED.items():
            kept.change(edit)
            kept.expect(plain, 'none', why)
            with open(kept.file(), 'rb') as f:
                harness.check(f.read() == whole, '%s: it is not written again', why)
        kept.expect(plain, 'used', 'at the end')
        return '%d kinds of damage' % len(DAMAGED)


def made_up():
    """Bytes of plans changed at random, with the sums that belong to them: the program runs."""
    seeds, rejected = random.Random(1), 0
    with tempfile.TemporaryDirectory(prefix='plans-') as folder:
        kept = Kept(folder)
        plain, _ = kept.run()
        with open(kept.file(), 'rb') as f:
            whole = f.read()

        def edit(_):
            body = bytearray(whole[HEAD:])
            for _ in range(turn + 1):
                body[seeds.randrange(len(body))] = seeds.randrange(256)
            if turn == 5:
                del body[len(body) // 3:]
            head = whole[:HEAD - 24] + struct.pack('<3Q', len(body), sum_of(body, 1),
                                                   sum_of(body, 2))
            return head + bytes(body)
        for turn in range(6):
            kept.change(edit)
            text, what = kept.run()
            rejected += what == 'rejected'
            harness.check(what != 'none', 'the head is not accepted')
            if turn == 5:
                harness.check(what == 'rejected', 'a list that ends too early: %s', what)
            if len(os.listdir(kept.path)) == 1:  # removed: none is left that is wrong
                kept.run()
            kept.change(lambda _: whole)
        kept.expect(plain, 'used', 'at the end')
        return '%d of 6 rejected' % rejected


def exits():
    """Where functions return is kept as well: what is damaged, or made up, is not used."""
    with tempfile.TemporaryDirectory(prefix='plans-') as folder:
        kept = Kept(folder)
        plain, _ = kept.run()
        with open(kept.file('exits'), 'rb') as f:
            whole = f.read()
        nparts, = struct.unpack_from('<Q', whole, HEAD)
        first = HEAD + 8 + 32 * nparts  # of the exits

        def made_up(_):
            """All exits at the beginning of their functions."""
            body = whole[HEAD:first] + bytes(len(whole) - first)
            return whole[:HEAD - 24] + struct.pack('<3Q', len(body), sum_of(body, 1),
                                                   sum_of(body, 2)) + body
        for edit, is_kept in ((flip(-100), True), (lambda data: data[:-1], True),
                              (made_up, False)):
            kept.change(edit, 'exits')
            kept.expect(plain, 'used' if is_kept else 'rejected', 'wrong exits')
            left = [n for n in os.listdir(kept.path) if n.endswith('.exits')]
            harness.check(bool(left) == is_kept, '%s', left)
        kept.expect(plain, 'used', 'exits were removed')
        with open(kept.file('exits'), 'rb') as f:
            harness.check(f.read() == whole, 'they are not found again')
        return '%d functions and parts' % nparts


def folders():
    """Where nothing can be kept, or others might have written, plans are made."""
    with tempfile.TemporaryDirectory(prefix='plans-') as folder:
        kept = Kept(folder)
        plain, _ = kept.run()
        os.chmod(kept.path, 0o777)
        kept.expect(plain, 'none', 'others may write')
        os.chmod(kept.path, 0o700)
        kept.expect(plain, 'used', 'as before')
        if os.geteuid() == 0:
            os.chown(kept.file(), 12345, 12345)
            kept.expect(plain, 'none', "another's file")
            os.chown(kept.path, 12345, 12345)
            kept.expect(plain, 'none', "another's folder")
        shutil.rmtree(kept.path)
        with open(kept.path, 'w', encoding='utf-8'):
            pass
        kept.expect(plain, 'none', 'a file in the place of the folder')
        kept.env['XDG_CACHE_HOME'] = os.path.join(folder, 'new')
        kept.expect(plain, 'none', 'a folder that is not there yet')
        kept.expect(plain, 'used', 'the folder that was made')
        kept.env['XDG_CACHE_HOME'] = '/proc'
        kept.expect(plain, 'none', 'a folder that nobody can write to')
        return 'ok'


def together():
    """Two runs at once keep the same plans."""
    with tempfile.TemporaryDirectory(prefix='plans-') as folder:
        kept = Kept(folder)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            (plain, _), (other, _) = pool.map(lambda _: kept.run(), range(2))
        harness.check(plain == other, 'not the same text')
        kept.expect(plain, 'used', 'afterwards')
        kept.file()  # one, and nothing that was begun
        return 'ok'


def replaced():
    """A file that was written since, be it with the same bytes, is another one."""
    with tempfile.TemporaryDirectory(prefix='plans-') as folder:
        kept = Kept(folder)
        copy = os.path.join(folder, 'lib', 'libc.so.6')
        os.mkdir(os.path.dirname(copy))
        with open('/proc/self/maps', encoding='utf-8') as f:
            shutil.copy([line.split()[-1] for line in f if line.endswith('/libc.so.6\n')][0], copy)
        kept.env['LD_LIBRARY_PATH'] = os.path.dirname(copy)
        plain, _ = kept.run()
        kept.expect(plain, 'used', 'second run')
        os.utime(copy)
        kept.expect(plain, 'none', 'another time of change')
        return 'ok'


def moved():
    """Wherever the modules are, the plans of all of them are used again."""
    with tempfile.TemporaryDirectory(prefix='plans-') as folder:
        kept = Kept(folder)
        for turn in ('none are kept', 'plans are kept'):
            result = harness.run([harness.DTRACE, '-qn', 'fpid$target:::entry { @ = count(); }',
                                  '-c', '%s -S -E -c pass' % sys.executable],
                                 env=kept.env, timeout=100)
            harness.check(result.status == 0, '%s', result)
            first = {}  # what is said of each module when it is planned first
            for path, what in re.findall("plan: '(.*)': (.* are kept)$", result.err, re.M):
                first.setdefault(os.path.basename(path), what)
            harness.check('libc.so.6' in first and set(first.values()) == {turn}, '%s', first)
        return '%d modules' % len(first)


harness.main({f.__name__: f for f in (same, damaged, made_up, exits, folders, together, replaced, moved)})
