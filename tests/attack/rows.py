#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attacks on tracer and bystanders; attack.py has what must hold each time. The letters and
numbers are those of README.md's table."""
import os
import random
import re
import signal
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import files  # noqa: E402
from attack import (Refused, Scene, attached, end_seconds, harness,  # noqa: E402
                    is_running, status_word)

COUNTS = 'fpidHOSTILE:a.out:work:entry { @h[arg0] = count(); @s = sum(arg0); } '
TRACES = 'fpidHOSTILE:a.out:work:entry { trace(1); } '
STOPS = 'pidHOSTILE:a.out:jab:entry { @p[arg0] = count(); } '
SELF = ('fpidHOSTILE:a.out:work:entry { self->a = timestamp; self->b[arg0] = 1; '
        'all[arg0] = pid; } ')
# never, a pattern, beyond any size, inside
WILD = ['0xfffffffffffffff8', '0x4141414141414141', '0x100000000', '8']
NOBODY = 65534
WORDS_EACH = int(os.environ.get('ATTACK_WORDS', '16'))  # that one child writes


def attacked(program, orders, options=(), seconds=1.0, **scene_options):
    """The orders, then a while in which threads of the hostile program come and go."""
    with Scene(program, options, **scene_options) as scene:
        for line in ['work 20', *orders]:
            scene.order(line)
            scene.innocent_works()
        scene.lives(seconds)
    return scene.note()


def unanswered(provider):
    """Texts in memory that never answers. The leak sanitizer would wait for the thread of
    probekeeper that reads there."""
    scene = Scene(provider + SAYS)
    scene.env = {'ASAN_OPTIONS': 'detect_leaks=0'}
    with scene:
        scene.order('silent 3')
        scene.innocent_works()
        scene.lives(1.0)
    return scene.note()


def polled():
    """fds[] of an epoll instance whose lock is held for ever: /proc does not answer."""
    scene = Scene('syscall::read:entry /pid == HOSTILE/ { @r[fds[arg0].fi_offset] = count(); }')
    scene.env = {'ASAN_OPTIONS': 'detect_leaks=0'}
    with scene:
        answer = scene.order('polled 3', 20)
        harness.check('written 3' in answer, 'the reads did not come back: %s', answer)
        scene.innocent_works()
        scene.lives(1.0)
    return scene.note()


def each_value(program, order, after=('threads 3', 'forks 2')):
    """The same with several values, each in a run of its own."""
    for value in WILD:
        note = attacked(program, [order % value, *after], seconds=0.5)
    return note


def each_word(order, words):
    """Word by word and value by value, each in a child that is followed."""
    with Scene(COUNTS, ['-x', 'follow']) as scene:
        for word in range(1, words):
            for value in WILD:
                scene.order('child %s %s %d' % (order, value, word))
                scene.check_alive()
            scene.innocent_works()
    return scene.note()


def misled():
    """Machine code of clauses that goes by a spoilt cache, in children that may die of it."""
    with Scene(COUNTS + SELF, ['-x', 'follow']) as scene:
        for value in WILD:
            answer = scene.order('child caches ' + value)
            harness.check('done' in answer or 'killed' in answer, 'no attack: %s', answer)
            scene.innocent_works()
            scene.check_alive()
    return scene.note()


def forged(program, orders, unwanted='NEVER', files_unwanted=(), options=('-w',)):
    """What the hostile program's records say is not done: unwanted is not printed, the files
    do not come to be."""
    with Scene(program, ['-q', *options]) as scene:
        scene.order('work 5')
        scene.lives(0.2)
        for order in orders:
            answer = scene.order(order)
            harness.check('done' in answer and 'written 0' not in answer,
                          'nothing was forged: %s', answer)
            scene.lives(0.3)
        scene.lives(0.5)
        found = [name for name in files_unwanted if os.path.exists(scene.path(name))]
        harness.check(not found, 'created: %s\n%s', found, scene.report())
        harness.check(not re.search(unwanted, scene.content('out')), 'printed\n%s',
                      scene.report())
    return scene.note()


PRINTS = 'fpidHOSTILE:a.out:work:entry { printf("h\\n"); } '
# The actions of these clauses are dtrace's own; the target has strings for them.
ACTS = PRINTS + 'tick-1h { system("echo %s", probefunc); freopen("%s", probefunc); } '


def speculated():
    """The innocent program's speculation is committed once, by END, and is whole."""
    with Scene(PRINTS + 'fpid$target:a.out:work:entry /!spec/ { spec = speculation(); } '
               'fpid$target:a.out:work:entry { speculate(spec); printf("kept\\n"); } '
               'END { commit(spec); }', ['-q', '-x', 'specsize=4m']) as scene:
        scene.order('work 5')
        scene.lives(0.2)
        scene.order('speculations')
        scene.lives(0.5)
    kept = scene.out.count('kept\n')
    harness.check(kept == scene.calls_traced, '%d of %d records of the speculation', kept,
                  scene.calls_traced)
    return scene.note()


def as_user(user):
    """The command of a hostile program of this user."""
    if os.getuid():
        raise harness.Skipped('only root traces programs of two users')
    return ['setpriv', '--reuid', str(user), '--regid', str(user), '--clear-groups',
            harness.target('hostile')]


def secret(options, user=None):
    """The hostile program finds nothing of what the innocent one recorded."""
    command = as_user(user) if user else None
    variables = 'self->s = strjoin("secret-", "of-self"); ' \
        'g = strjoin("secret-", "of-all"); ' if user else ''
    with Scene(COUNTS + 'fpid$target:a.out:work:entry { trace(strjoin("secret-", "record")); '
               '@[strjoin("secret-", "key")] = count(); %s} ' % variables, ['-q', *options],
               hostile=command) as scene:
        scene.order('work 5')
        scene.lives(0.3)
        words = ['record', 'key'] + (['of-self', 'of-all'] if user else [])
        for word in words:
            answer = scene.order('seek secret-' + word)
            harness.check('found' not in answer, 'it sees %s of the innocent program', word)
            scene.innocent_works()
    return scene.note()


def front_killed():
    """dtrace is killed while a target never leaves resident code: probekeeper ends."""
    with Scene(COUNTS) as scene:
        scene.order('work 20')
        scene.order('stay enter 3')
        os.kill(scene.dtrace.pid, signal.SIGKILL)
        scene.dtrace.wait()
        took = harness.until(lambda: not is_running(scene.keeper), end_seconds(),
                             'probekeeper ends when dtrace was killed')
        attached.check_free(scene.gate.pid, scene.before)
        scene.gate.work(10, 'same')
        scene.is_over = True
    return '%.1f s' % took


def library(spoil, program, program_before=''):
    """A library of the hostile program that claims too much, loaded before and during. dtrace
    may refuse to compile what it needs too much of the file for."""
    with tempfile.TemporaryDirectory(prefix='attack-') as folder:
        path = os.path.join(folder, 'spoilt.so')
        spoil(harness.target('plugin.so'), path)
        attacked(program, ['open ' + path], ['-Z'])
        try:
            return attacked(program_before or program, [], ['-Z'], before=['open ' + path])
        except Refused as refused:
            return str(refused)


def mappings():
    """A process that maps a file 60,000 times is attached to at once."""
    with Scene(COUNTS, before=['map 60000 ' + harness.target('plugin.so')]) as scene:
        scene.order('work 20')
        scene.lives(0.3)
        took = scene.attach_seconds
    harness.check(took < 15, 'attached after %.1f s', took)
    return '%.1f s; %s' % (took, scene.note())


def loads():
    """The memory of dtrace and probekeeper does not grow with loads and unloads."""
    order = 'loads 150 ' + harness.target('plugin.so')
    with Scene(LATER, ['-Z']) as scene:
        scene.order(order, 60)
        pids = scene.dtrace.pid, scene.keeper
        first = [status_word(pid, 'VmRSS') for pid in pids]
        scene.order(order, 60)
        scene.order(order, 60)
        grown = [status_word(pid, 'VmRSS') - size for pid, size in zip(pids, first)]
        # 300 turns; the address sanitizer keeps freed memory for a while
        harness.check(max(grown) < (300000 if harness.is_small() else 30000), 'dtrace and probekeeper grew by %s kB', grown)
    return 'grown by %s kB; %s' % (grown, scene.note())


def run_ticks(pid):
    with open('/proc/%d/stat' % pid, encoding='utf-8') as f:
        return sum(map(int, f.read().rsplit(')', 1)[1].split()[11:13]))


def asked():
    """Snapshots are asked for all the time: dtrace sleeps most of it."""
    program = COUNTS + 'fpidHOSTILE:a.out:work:entry /arg0 == 1 << 40/ { snapshot(); } '
    options = ['-x', 'bufpolicy=ring', '-x', 'snapshots=2', '-gE', 'run.data']
    with Scene(program, options) as scene:
        scene.files |= {'run.data', 'run.data.1', 'run.data.2'}
        answer = scene.order('snapshots')
        ticks, start = run_ticks(scene.dtrace.pid), time.monotonic()
        scene.lives(1.0)
        run = (run_ticks(scene.dtrace.pid) - ticks) / os.sysconf('SC_CLK_TCK')
        harness.check(run < (time.monotonic() - start) / 3, 'it runs for %.1f s: %s', run, answer)
    return scene.note()


EXITS = 'fpid$target:a.out:work:entry /arg0 > 1 << 40/ { exit(3); } '
SNAPSHOT = 'fpid%s:a.out:work:entry /arg0 == %s/ { snapshot(); } '


def requested(options=()):
    """What an innocent program may ask for is not done for the hostile one."""
    with Scene(COUNTS + EXITS, options) as scene:
        for value in (1, 7, '0xffffffffffffffff'):
            answer = scene.order('control %s' % value)
            harness.check('done' in answer and 'written 0' not in answer,
                          'nothing was asked for: %s', answer)
            scene.lives(0.3)
    return scene.note()


def snapshots(own):
    """Files of snapshots: none for the hostile program without a clause that asks for one, and
    its own number of them with one; the innocent one gets all of its own."""
    program = COUNTS + SNAPSHOT % ('$target', '150') + (SNAPSHOT % ('HOSTILE', '1 << 40') if own else '')
    options = ['-x', 'bufpolicy=ring', '-x', 'snapshots=2', '-gE', 'run.data']
    scene = Scene(program, options, calls=100)
    scene.files |= {'run.data'} | {'run.data.%d' % (i + 1) for i in range(4 if own else 2)}
    with scene:
        scene.order('snapshots')
        scene.lives(0.5)
        made = set(os.listdir(scene.folder.name)) - {'out', 'err', 'run.data'}
        harness.check(made == ({'run.data.1', 'run.data.2'} if own else set()), 'made: %s', made)
        scene.calls = 151
        for i in range(2):
            scene.innocent_works()
            name = 'run.data.%d' % (i + (3 if own else 1))
            harness.until(lambda path=scene.path(name): os.path.exists(path), 10, name)
        time.sleep(0.3)
        said = re.findall('called once more(?: for process )?(.*): .* allows no more files',
                          scene.content('err'))
        harness.check(said == ([str(scene.hostile.pid)] if own else []), 'said: %s', scene.report())
    return scene.note()


def each_shared_word(value, program, options=(), user=None):
    """Every word that is shared with the tracer, in children with a block of their own."""
    command = as_user(user) if user else None
    scene = Scene(program, ['-x', 'follow', '-x', 'statusrate=50ms', *options], hostile=command)
    scene.prints_calls, scene.has_variables = True, not user
    with scene:
        answers = []
        attack = threading.Thread(target=lambda: answers.append(
            scene.order('words %s %d' % (value, WORDS_EACH), 100)))
        attack.start()
        while attack.is_alive():
            scene.innocent_works()
            scene.check_alive()
        answer = answers[0]
        harness.check(int((re.findall(r'written (\d+)', answer) or [0])[0]) > 200,
                      'too few words: %s\n%s', answer, scene.report())
        scene.lives(0.3, threads=False)
    return scene.note()


def random_word():
    seed = int(os.environ.get('ATTACK_SEED', '0')) or int(time.time())
    return '0x%x' % random.Random(seed).getrandbits(64)


EVERYTHING = (COUNTS + TRACES + EXITS + STOPS + SELF +
              'fpidHOSTILE:a.out:work:entry { self->sp = speculation(); @u[ustack(3)] = count(); } '
              'fpidHOSTILE:a.out:work:entry { speculate(self->sp); printf("%d", arg0); } '
              'fpidHOSTILE:a.out:work:entry { commit(self->sp); } ')
LATER = 'fpidHOSTILE:plugin.so:plugged:entry { @l = count(); } '
SAYS = 'HOSTILE:a.out:say:entry { @t[copyinstr(arg0)] = count(); } '
PLUGGED = 'pidHOSTILE:spoilt.so:plugged:entry { @p = count(); } '

CASES = {
    # the resident block
    'c1_header': lambda: each_value(COUNTS, 'header %s'),
    'c1_words': lambda: each_word('header', 34),
    'c1_tables': lambda: each_value(COUNTS, 'tables %s'),
    'c1_tcbs': lambda: each_value(COUNTS, 'tcbs %s 4'),
    'c1_busy': lambda: attacked(COUNTS + STOPS, ['busy 2']),
    # layout and control words of the state block; what others keep there
    'c2_layout': lambda: each_value(COUNTS, 'layout %s'),
    'c2_words': lambda: each_word('layout', 34),
    'c2_control': lambda: each_value(COUNTS, 'control %s'),
    'c2_free': lambda: attacked(COUNTS + TRACES, ['free', 'work 2000']),
    'c2_secret': lambda: secret([]),
    'c2_secret_user': lambda: secret([], NOBODY),
    # forged records
    'c3_system': lambda: forged(ACTS, ['action system x;_touch_canary'], 'x', ['canary']),
    'c3_freopen': lambda: forged(ACTS, ['action freopen canary'], 'NEVER', ['canary']),
    'c3_exit': lambda: forged(PRINTS + 'tick-1h { exit(3); } ', ['action exit x']),
    'c3_trunc': lambda: forged(PRINTS + 'tick-1h { trunc(@innocent); clear(@innocent); } ',
                               ['action trunc x', 'action clear x']),
    'c3_setopt': lambda: forged(PRINTS + 'tick-1h { setopt(probefunc); } ',
                                ['action setopt quiet'], '(?m)^h$', options=('-w', '-x', 'quiet=0')),
    'c3_printf': lambda: forged(
        PRINTS + 'fpid$target:a.out:work:entry /arg0 < 0/ { printf("said %s\\n", probefunc); } ',
        ['action printf forged'], 'forged'),
    'c3_ftruncate': lambda: forged(
        PRINTS + 'BEGIN { printf("first\\n"); } tick-1h { ftruncate(); } ',
        ['action ftruncate x'], r'\A(?!(on\n)?first)'),
    'c3_times': lambda: attacked(TRACES, ['times']),
    'c3_speculations': speculated,
    # requests, counters and every other word
    't_requests': requested,
    't_snapshots': lambda: snapshots(False),
    't_snapshots_own': lambda: snapshots(True),
    'w_zero': lambda: each_shared_word('0', EVERYTHING),
    'w_one': lambda: each_shared_word('1', EVERYTHING, ['-x', 'overhead']),
    'w_ones': lambda: each_shared_word('0xffffffffffffffff', EVERYTHING, ['-x', 'overhead']),
    'w_top': lambda: each_shared_word('0x8000000000000000', EVERYTHING, ['-x', 'budget=90%']),
    'w_random': lambda: each_shared_word(random_word(), EVERYTHING, ['-x', 'overhead=subtract']),
    # who waits for room, and for how long, is in words as well
    'w_wait': lambda: each_shared_word('0xffffffffffffffff', EVERYTHING,
                                       ['-x', 'bufpolicy=wait']),
    'w_user_zero': lambda: each_shared_word('0', COUNTS + TRACES + EXITS, user=NOBODY),
    'w_user_one': lambda: each_shared_word('1', COUNTS + TRACES + EXITS, user=NOBODY),
    'w_user_ones': lambda: each_shared_word('0xffffffffffffffff', COUNTS + TRACES + EXITS,
                                            user=NOBODY),
    'w_user_random': lambda: each_shared_word(random_word(), COUNTS + TRACES + EXITS, user=NOBODY),
    # resident code that is not left, and shared memory that goes away
    'c4_stay_guard': lambda: attacked(COUNTS + STOPS, ['stay guard 3', 'forks 2']),
    'c4_unmap': lambda: attacked(COUNTS + STOPS, ['unmap', 'threads 3']),
    'c4_protect': lambda: attacked(COUNTS + STOPS, ['protect', 'threads 3']),
    'c4_own': lambda: attacked(COUNTS + STOPS, ['own 0x90', 'work 1', 'threads 3']),
    'c4_fill_traps': lambda: attacked(COUNTS + STOPS, ['fill 0xcc', 'threads 3']),
    'c4_seals': lambda: attacked(COUNTS + STOPS, ['seals', 'threads 3']),
    'c4_stay': lambda: attacked(COUNTS, ['stay enter 3', 'forks 2']),
    'c4_stay_leave': lambda: attacked(COUNTS + STOPS, ['stay leave 3', 'forks 2']),
    'c4_stay_load': lambda: attacked(
        LATER + COUNTS, ['stay enter 3', 'loads 3 ' + harness.target('plugin.so')], ['-Z']),
    'c4_front_killed': front_killed,
    'c4_fill_nothing': lambda: attacked(COUNTS + STOPS, ['fill 0x90', 'threads 3']),
    'c4_fill_faults': lambda: attacked(COUNTS + STOPS, ['fill 0xf4', 'threads 3']),
    # circles, and memory that does not answer
    'h1_circle': lambda: attacked(TRACES, ['circle']),
    'h2_cells': lambda: attacked(SELF, ['cells both', 'threads 5']),
    'h2_cells_next': lambda: attacked(SELF, ['cells next', 'threads 5']),
    'h2_cells_more': lambda: attacked(SELF, ['cells more', 'threads 5']),
    'h2_caches': misled,
    'h3_asked': asked,
    'h3_shards': lambda: attacked(COUNTS + 'tick-100ms { clear(@h); } ', ['shards 64']),
    'h3_shards_printed': lambda: attacked(
        COUNTS + 'tick-100ms { printa(@h); trunc(@h, 5); } ', ['shards 16']),
    'h3_claim': lambda: attacked(
        'fpidHOSTILE:a.out:work:entry { @h["innocent"] = count(); } END { trunc(@h); } ',
        ['claim', 'work 5']),
    'h4_linkmap_wild': lambda: attacked(COUNTS + LATER, ['linkmap wild 20'], ['-Z']),
    'h4_linkmap': lambda: attacked(COUNTS + LATER, ['linkmap circle 20'], ['-Z']),
    'h4_linkmap_long': lambda: attacked(COUNTS + LATER, ['linkmap long 20'], ['-Z']),
    'h5_silent': lambda: unanswered('pid'),
    'h5_silent_fpid': lambda: unanswered('fpid'),
    'h5_polled': polled,
    # files that claim too much
    'm_mappings': mappings,
    'm_segments': lambda: library(files.segments, 'f' + PLUGGED),
    'm_symbols': lambda: library(files.symbols, 'f' + PLUGGED),
    'm_debug': lambda: library(files.debug, 'f' + PLUGGED,
                               'f' + PLUGGED.replace('count()', 'sum(args[0])')),
    'l_loads': loads,
}

if __name__ == '__main__':
    harness.main(CASES)
