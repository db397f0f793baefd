#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The probes of Debian's postgresql: a server of processes that fork, and what is left of it
when tracing ends in each way."""
import glob
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
from attached import start_tracing, text_of, tracers  # noqa: E402
from harness import check, until  # noqa: E402

SETTINGS = {'listen_addresses': '', 'fsync': 'off', 'autovacuum': 'off', 'shared_buffers': '1MB',
            'max_connections': '10', 'max_wal_senders': '0', 'jit': 'off'}
PROBES = ('query__start', 'query__done', 'transaction__start')  # of them with semaphores


def folder_of():
    """Of its programs."""
    found = sorted(glob.glob('/usr/lib/postgresql/*/bin/postgres'))
    if not found:
        raise harness.Skipped('no postgres: apt-get install postgresql')
    return os.path.dirname(found[-1])


def semaphores(program):
    """{probe: where its semaphore is in the file's memory}"""
    notes = harness.run(['readelf', '-n', program]).out
    return {name: int(at, 16) for name, at in
            re.findall(r'Name: (\w+)\n.*Semaphore: (0x\w+)', notes)}


class Cluster:
    """A new database of an ordinary user."""

    def __init__(self):
        self.bin = folder_of()
        self.user = ['setpriv', '--reuid=nobody', '--clear-groups'] if os.getuid() == 0 else []
        self.kept = tempfile.TemporaryDirectory(prefix='postgres-')
        self.folder = self.kept.name
        if self.user:
            shutil.chown(self.folder, 'nobody')
        self.data = os.path.join(self.folder, 'd')
        done = harness.run([*self.user, self.bin + '/initdb', '-D', self.data, '-N', '-U', 'test',
                            '-A', 'trust', '--locale=C', '--no-instructions'])
        check(done.status == 0, 'initdb: %s', done)

    def command(self, *words):
        return [*self.user, self.bin + '/postgres', *words, '-D', self.data]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kept.cleanup()


class Server(Cluster):
    """It runs, with a socket in its folder."""

    def __enter__(self):
        self.settings = [w for item in {**SETTINGS, 'unix_socket_directories': self.folder}.items()
                         for w in ('-c', '%s=%s' % item)]
        self.log = open(os.path.join(self.folder, 'log'), 'w', encoding='utf-8')
        self.process = subprocess.Popen([*self.command(), *self.settings], stderr=self.log,
                                        stdin=subprocess.DEVNULL, cwd='/')
        self.pid = self.process.pid
        self.semaphores = semaphores(self.bin + '/postgres')
        check(len(self.semaphores) > 50, 'its notes: %s', self.semaphores)
        until(self.is_ready, 20, 'the server')
        return self

    def is_ready(self):
        """It says so in the last line of a file."""
        try:
            with open(os.path.join(self.data, 'postmaster.pid'), encoding='utf-8') as f:
                return f.read().split()[-1:] == ['ready']
        except FileNotFoundError:
            return False

    def answers(self):
        return harness.run([self.bin + '/pg_isready', '-h', self.folder]).status == 0

    def processes(self):
        with open('/proc/%d/task/%d/children' % (self.pid, self.pid), encoding='utf-8') as f:
            return [self.pid, *(int(pid) for pid in f.read().split())]

    def raised(self, names=PROBES):
        """The values that these semaphores have in all of its processes."""
        found = set()
        for pid in self.processes():
            with open('/proc/%d/maps' % pid, encoding='utf-8') as maps:
                base = int(next(line for line in maps if '/postgres' in line).split('-')[0], 16)
            with open('/proc/%d/mem' % pid, 'rb', buffering=0) as memory:
                for name in names:
                    memory.seek(base + self.semaphores[name])
                    found.add(struct.unpack('<H', memory.read(2))[0])
        return found

    def check_left(self, text):
        """Nobody traces its processes; their code and semaphores are as they were."""
        for pid in self.processes():
            until(lambda p=pid: not tracers(p), 10, 'nobody traces it')
            after = text_of(pid)
            changed = [line for line in text if after.get(line, text[line]) != text[line]]
            check(not changed, '%d: bytes differ in %s', pid, changed)
        check(self.raised() == {0}, 'semaphores are %s', self.raised())

    def client(self, program, *words):
        return [self.bin + '/' + program, *words, '-h', self.folder, '-U', 'test', 'postgres']

    def bench(self, times):
        """Two clients, who ask two questions, so often."""
        path = os.path.join(self.folder, 'bench.sql')
        with open(path, 'w', encoding='utf-8') as f:
            f.write('select 7;\nselect 8;\n')
        return subprocess.Popen(self.client('pgbench', '-n', '-c', '2', '-t', str(times), '-f',
                                            path), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True)

    @staticmethod
    def transactions(bench):
        """How many it says that it made."""
        out, _ = bench.communicate(timeout=60)
        m = re.search(r'actually processed: (\d+)/\1$', out, re.M)
        check(bench.returncode == 0 and m and 'failed transactions: 0 ' in out, '%s', out)
        return int(m.group(1))

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)  # a fast shutdown
        try:
            self.process.wait(20)
        finally:
            self.process.kill()
            self.process.wait()
            self.log.close()
            super().__exit__()


class Session:
    """psql, and the server's process for it."""

    def __init__(self, server):
        before = set(server.processes())
        self.process = subprocess.Popen(server.client('psql', '-qAtX'), text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT)
        self.ask('')
        self.pid, = set(server.processes()) - before

    def ask(self, text):
        self.process.stdin.write(text + '\n\\echo that is all\n')
        self.process.stdin.flush()
        lines = []
        while lines[-1:] != ['that is all']:
            line = self.process.stdout.readline()
            check(line, 'the session has ended: %s', lines)
            lines.append(line.rstrip('\n'))
        return '\n'.join(lines[:-1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(20)
        self.process.stdout.close()


WORK = """begin;
insert into t values (1);
commit;
select count(*) from t where 'séance' <> '';
begin;
insert into t values (2);
rollback;
select 1 / 0;"""
QUERIES = WORK.split('\n')
OF_WORK = {'query-start': 8, 'query-done': 7, 'transaction-start': 4, 'transaction-commit': 2,
           'transaction-abort': 2}
COUNTING = """
    postgresql$target:::query-start
    {
        self->start = timestamp;
        @q["started", copyinstr(arg0)] = count();
        KEY
    }
    postgresql$target:::query-done /self->start && timestamp > self->start/
    {
        self->start = 0;
        @q["done", copyinstr(arg0)] = count();
    }
    postgresql$target:::transaction-*, postgresql$target:::query-start,
    postgresql$target:::query-done
    {
        @n[pid, probename] = count();
    }
    postgresql$target::PortalRun:query-execute-start { @x["probes"] = count(); }
    PROVIDER$target:postgres:PortalRun:entry { @x["functions"] = count(); }
    END
    {
        printa("query %s %s|%@d\\n", @q);
        printa("event %d %s %@d\\n", @n);
        printa("%s %@d\\n", @x);
    }"""


def ended(dtrace, status=0, sig=signal.SIGINT):
    """Its output, after a signal."""
    if sig:
        dtrace.send_signal(sig)
    try:
        out, err = dtrace.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        dtrace.kill()
        raise harness.Failure('dtrace hangs') from None
    check(dtrace.returncode == status, 'dtrace: %s: %s', dtrace.returncode, err)
    check(status or not re.search(r'\bdrops?\b|error on enabled probe|aborted', err), '%s', err)
    return out


def check_counts(out, sessions, transactions):
    """What sessions and pgbench have done is counted, not more and not less. sessions:
    {session: how many transactions it has made at its beginning}"""
    queries = {m.groups()[:2]: int(m.group(3)) for m in
               re.finditer(r'^query (\w+) (.*)\|(\d+)$', out, re.M)}
    wanted = {('started', q): len(sessions) * QUERIES.count(q) for q in QUERIES}
    wanted.update({('done', q): len(sessions) * QUERIES.count(q) for q in QUERIES[:-1]})
    wanted.update({(k, 'select %d;' % n): transactions for k in ('started', 'done')
                   for n in (7, 8) if transactions})
    check(all(queries.get(q) == n for q, n in wanted.items()), '%s\n%s', wanted, out)
    for session, own in sessions.items():
        counts = dict(OF_WORK)
        for name in ('transaction-start', 'transaction-commit'):
            counts[name] += own
        events = {m.group(1): int(m.group(2)) for m in
                  re.finditer(r'^event %d (\S+) (\d+)$' % session.pid, out, re.M)}
        check(events == counts, 'of %d: %s\n%s', session.pid, events, out)
    calls = dict(re.findall(r'^(probes|functions) (\d+)$', out, re.M))
    check(len(calls) == 2 and calls['probes'] == calls['functions'], '%s', out)


def traced(server, provider, key=''):
    """A session that is there already, one that comes, and clients that ask quickly."""
    text = text_of(server.pid)
    with Session(server) as first:
        first.ask('drop table if exists t; create table t(n int);')
        dtrace = start_tracing(server.pid, COUNTING.replace('PROVIDER', provider)
                               .replace('KEY', key), '-q', '-x', 'follow')
        # others than those with clauses stay as they are
        check(server.raised() == {1} and server.raised(['deadlock__found']) == {0},
              'semaphores are %s', server.raised())
        with Session(server) as second:
            for session in (first, second):
                answer = session.ask(WORK)
                check('division by zero' in answer, 'it answers %s', answer)
            processes = server.processes()
            transactions = server.transactions(server.bench(50))
            until(lambda: server.processes() == processes, 10, 'the end of its clients')
            check_counts(ended(dtrace), {first: 0, second: 1}, transactions)
            server.check_left(text)
        first.ask(WORK)


def served():
    """Each query and transaction of all its processes, by jumps and by breakpoints."""
    with Server() as server:
        traced(server, 'fpid')
        traced(server, 'pid', '@e[execname] = count();')


def one():
    """A process of the server alone: others keep their code and their semaphores."""
    with Server() as server, Session(server) as first, Session(server) as second:
        first.ask('create table t(n int);')
        dtrace = start_tracing(first.pid, COUNTING.replace('PROVIDER', 'fpid').replace('KEY', ''),
                               '-q')
        check(server.raised() == {0, 1}, 'semaphores are %s', server.raised())
        check(not tracers(server.pid) and not tracers(second.pid), 'others are traced')
        for session in (first, second):
            session.ask(WORK)
        check_counts(ended(dtrace), {first: 0}, 0)


STARTED = """
    postgresql$target:::query-start { @n = count(); }
    postgresql$target:::query-start /!any++/ { printf("a query\\n"); }
    END { printa("%@d queries\\n", @n); }"""


def killed():
    """dtrace, then its keeper, is killed amid queries: no client notices."""
    with Server() as server, Session(server) as session:
        text = text_of(server.pid)
        processes = server.processes()
        for is_keeper in (False, True):
            dtrace = start_tracing(server.pid, STARTED, '-q', '-x', 'follow')
            bench = server.bench(200)
            line = dtrace.stdout.readline()
            check(line == 'a query\n', 'it says %r', line)
            if is_keeper:
                os.kill(*tracers(server.pid), signal.SIGKILL)
            else:
                dtrace.kill()
            dtrace.communicate(timeout=20)
            check(server.transactions(bench) == 400, 'transactions')
            until(lambda: server.processes() == processes, 10, 'the end of its clients')
            server.check_left(text)
            check(session.ask('select 42;') == '42', 'the session has ended')


def crashed():
    """A process of the server is killed: the server begins again with new ones, which have the
    probes too. It ends: so does dtrace, with all that was counted."""
    with Server() as server:
        dtrace = start_tracing(server.pid, STARTED, '-q', '-x', 'follow')
        with Session(server) as session:
            before = set(server.processes())
            os.kill(session.pid, signal.SIGKILL)
            session.process.communicate()
        until(lambda: not (before - {server.pid}) & set(server.processes()) and
              server.answers(), 20, 'new processes')
        with Session(server) as session:
            session.ask(WORK)
            values = server.raised(['query__start'])
            check(values == {1}, 'semaphores are %s', values)
        server.process.send_signal(signal.SIGINT)
        check(server.process.wait(20) == 0, 'it ended with %s', server.process.returncode)
        check('8 queries\n' in ended(dtrace, sig=None), 'queries')


def single():
    """One process alone, a command: queries, and values that are variables of the program."""
    with Cluster() as cluster:
        path = os.path.join(cluster.folder, 'queries')
        with open(path, 'w', encoding='utf-8') as file:
            file.write('select 1;\nselect 2;\nbegin;\nrollback;\n')
        result = harness.traced(
            'postgresql$target:::query-start { @[copyinstr(arg0)] = count(); } '
            'postgresql$target:::transaction-* { @t[probename] = count(); } '
            'postgresql$target:::checkpoint-done { printf("%d of %d buffers\\n", '
            'arg0 >= 0 && arg0 <= arg1, arg1); }',
            ' '.join(cluster.command('--single', '-c', 'shared_buffers=1MB')) + ' postgres',
            options=['-Z'], stdin=path)
    # a query has its line end in it; a transaction of its own comes first
    check(re.findall(r'select (\d);\s+(\d+)', result.data) == [('1', '1'), ('2', '1')] and
          '1 of 128 buffers' in result.data, '%s', result)
    counts = harness.counts(result.data)
    check([counts.get('transaction-' + k) for k in ('start', 'commit', 'abort')] == [4, 3, 1],
          '%s', result)


CASES = {f.__name__: f for f in (served, one, killed, crashed, single)}

if __name__ == '__main__':
    harness.main(CASES)
