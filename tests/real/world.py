#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs of the world under all probes: servers, shells, compilers, interpreters. Output
and exit status are as untraced; what the program itself counts, dtrace counts too."""
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness  # noqa: E402
from attached import Attached  # noqa: E402

IS_FAST = harness.PROVIDER == 'fpid'


def same(program, command, options=('-Z',), timeout=150, **kwargs):
    """Output, errors and status as untraced; the traced run."""
    alone = harness.run(command.split(), timeout=timeout, **kwargs)
    result = harness.traced(program, command, list(options), timeout=timeout, **kwargs)
    harness.check(result.out == alone.out, 'it printed\n%s\ninstead of\n%s', result.out,
                  alone.out)
    theirs = [line for line in result.err.splitlines() if not line.startswith('dtrace: ')]
    harness.check(theirs == alone.err.splitlines(), 'it complained: %s', theirs)
    harness.check(harness.target_status(result) == harness.status_name(alone.status), '%s',
                  result)
    return result


def script(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    return path


class Redis:
    """A server of its own, without a port."""

    def __init__(self, folder):
        self.socket = os.path.join(folder, 'socket')
        # the server is the checker by another name
        server = os.path.join(folder, 'redis-server')
        os.symlink(harness.installed('redis-check-rdb'), server)
        self.process = subprocess.Popen(
            [server, '--port', '0', '--unixsocket', self.socket, '--dir', folder, '--save', '',
             '--loglevel', 'warning', '--enable-debug-command', 'local'], stdout=subprocess.DEVNULL, start_new_session=True)
        harness.until(lambda: os.path.exists(self.socket), 10, 'the server')

    def ask(self, *words):
        return subprocess.run([harness.installed('redis-cli'), '-s', self.socket, *words],
                              capture_output=True, text=True, check=True, timeout=60).stdout

    def info(self, name):
        return re.search(r'^%s:(.*?)\r?$' % name, self.ask('info'), re.M).group(1)

    def save(self):
        harness.check('started' in self.ask('bgsave'), 'it does not save')
        harness.until(lambda: self.info('rdb_bgsave_in_progress') == '0', 30, 'the saved file')
        harness.check(self.info('rdb_last_bgsave_status') == 'ok', 'its child failed')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def redis():
    """Benchmarked while it forks to save; it says itself how many commands it made."""
    requests = 4000 if IS_FAST else 400
    program = ('pid$target:a.out::entry { @all = count(); } '
               'pid$target:a.out:call:entry, pid$target:a.out:rdbSaveBackground:entry '
               '{ @e[probefunc] = count(); } '
               'pid$target:a.out:call:return, pid$target:a.out:rdbSaveBackground:return '
               '{ @r[probefunc] = count(); } '
               'END { printa("\\nE %s %@d", @e); printa("\\nR %s %@d", @r); printf("\\n"); }')
    with tempfile.TemporaryDirectory() as folder, Redis(folder) as server:
        with Attached([server.process.pid], program) as run:
            before = int(server.info('total_commands_processed'))
            with subprocess.Popen([harness.installed('redis-benchmark'), '-s', server.socket, '-q', '-n',
                                   str(requests), '-c', '20', '-t', 'set,lpush,lrange_100'],
                                  stdout=subprocess.DEVNULL) as load:
                for _ in range(3):
                    server.save()
                status = load.wait(120)
            harness.check(status == 0, 'the benchmark ended with %d', status)
            commands = int(server.info('total_commands_processed')) - before
            took = run.end()
        entries, returns = harness.tagged(run.out, 'E'), harness.tagged(run.out, 'R')
        # the second question is not counted in its own answer
        harness.check(entries.get('call') == returns.get('call') == commands + 1,
                      '%d commands, but %s %s', commands, entries, returns)
        harness.check(entries.get('rdbSaveBackground') == 3 == returns.get('rdbSaveBackground'),
                      'saved 3 times: %s %s', entries, returns)
        server.save()
        server.ask('shutdown', 'nosave')
        harness.check(server.process.wait(10) == 0, 'status %d', server.process.returncode)
        return '%d commands, detached in %.2f s' % (commands, took)


BASH = '''
sum=0
for i in {1..%d}; do
	(exit $((i %% 7)))
	sum=$((sum + $?))
	word=$(echo $i)
	sum=$((sum + word))
done
trap 'echo trapped' USR1
kill -USR1 $$
echo $sum
exit 5
'''


def bash():
    """A script that forks thousands of times, and the count of its forks."""
    turns = 1000
    with tempfile.TemporaryDirectory() as folder:
        path = script(folder, 'script', BASH % turns)
        result = same('pid$target:a.out:make_child:entry, pid$target:a.out:make_child:return '
                      '{ @[probename] = count(); } '
                      'pid$target:libc.so.6:*fork*:entry { @all = count(); }',
                      harness.installed('bash') + ' ' + path)
    counted = harness.counts(result.data)
    harness.check(counted == {'entry': 2 * turns, 'return': 2 * turns}, '%d forks: %s',
                  2 * turns, result.data)


def bash_all():
    """The same under all functions of the shell and of its library."""
    with tempfile.TemporaryDirectory() as folder:
        path = script(folder, 'script', BASH % (300 if IS_FAST else 40))
        result = same('pid$target:a.out::entry, pid$target:libc.so.6::entry { @e = count(); } '
                      'pid$target:a.out::return, pid$target:libc.so.6::return { @r = count(); }',
                      harness.installed('bash') + ' ' + path, timeout=300)
        return '%d probes' % harness.matched(result)


def gcc():
    """The driver and the chain of programs that it starts; the object file is the same."""
    with tempfile.TemporaryDirectory() as folder:
        script(folder, 'a.c', '#include <stdio.h>\nint main(void) { return printf("x") - 1; }\n')
        command = '%s -c -O2 a.c -o a.o' % harness.installed('gcc')
        path = os.path.join(folder, 'a.o')
        objects = []

        def compiled():
            with open(path, 'rb') as f:
                objects.append(f.read())
            os.unlink(path)

        harness.check(harness.run(command.split(), cwd=folder).status == 0, 'untraced')
        compiled()
        result = harness.traced('pid$target:a.out::entry, pid$target:libc.so.6::entry, '
                                'pid$target:libc.so.6::return { @ = count(); }', command,
                                cwd=folder)
        harness.check(harness.target_status(result) == 0, '%s', result)
        compiled()
        # it cannot compile this, and says so
        script(folder, 'a.c', 'int main(void) { return x; }\n')
        same('pid$target:a.out::entry { @ = count(); }', command, cwd=folder)
    harness.check(objects[0] == objects[1], 'another object file')


NGINX = '''
daemon off;
master_process on;
worker_processes 2;
pid %(folder)s/pid;
error_log %(folder)s/error.log;
events { worker_connections 64; }
http {
	access_log off;
	client_body_temp_path %(folder)s/1; proxy_temp_path %(folder)s/2;
	fastcgi_temp_path %(folder)s/3; uwsgi_temp_path %(folder)s/4; scgi_temp_path %(folder)s/5;
	server { listen unix:%(folder)s/socket; location / { return 200 "hello $request_uri\\n"; } }
}
'''


class Nginx:
    """A server of its own, of a master and two workers, without a port."""

    def __init__(self, folder):
        self.folder = folder
        if os.geteuid() == 0:
            os.chmod(folder, 0o755)
        config = script(folder, 'nginx.conf', NGINX % {'folder': folder})
        self.process = subprocess.Popen([harness.installed('nginx'), '-p', folder, '-c', config],
                                        stderr=subprocess.DEVNULL, start_new_session=True)
        self.pid = self.process.pid
        harness.until(lambda: len(self.workers()) == 2 and
                      os.path.exists(folder + '/socket'), 10, 'the workers')
        self.request(0)

    def workers(self):
        with open('/proc/%d/task/%d/children' % (self.pid, self.pid), encoding='utf-8') as f:
            return [int(pid) for pid in f.read().split()]

    def request(self, number):
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(20)
            s.connect(self.folder + '/socket')
            s.sendall(b'GET /%d HTTP/1.0\r\n\r\n' % number)
            answer = b''
            while True:
                part = s.recv(65536)
                if not part:
                    break
                answer += part
        harness.check(answer.endswith(b'\r\nhello /%d\n' % number), 'it answers %s', answer)

    def reload(self):
        """New workers; the old ones end when they have nothing to do."""
        old = set(self.workers())
        os.kill(self.pid, signal.SIGHUP)
        harness.until(lambda: len(self.workers()) == 2 and not old & set(self.workers()), 20,
                      'new workers')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()




def nginx():
    """Master and workers traced at once; requests and reloads are counted."""
    requests, reloads = 100, 3
    with tempfile.TemporaryDirectory() as folder, Nginx(folder) as server:
        pids = [server.pid, *server.workers()]
        program = 'pid$target:a.out:ngx_init_cycle:entry, pid$target:a.out:ngx_init_cycle:return'
        program += ' { @i[probename] = count(); } pid$target:a.out::entry { @all = count(); } '
        for pid in pids[1:]:
            program += ('PROVIDER%d:a.out:ngx_http_process_request:entry, '
                        'PROVIDER%d:a.out:ngx_http_process_request:return '
                        '{ @r[probename] = count(); } ' % (pid, pid))
            program += 'PROVIDER%d:a.out::entry { @others = count(); } ' % pid
        program += 'END { printa("\\nI %s %@d", @i); printa("\\nR %s %@d", @r); printf("\\n"); } '
        with Attached(pids, program) as run:
            for number in range(requests):
                server.request(number)
            for _ in range(reloads):
                server.reload()
            for number in range(10):  # answered by the children of the master, untraced
                server.request(number)
            run.end()
        harness.check(harness.tagged(run.out, 'I') == {'entry': reloads, 'return': reloads},
                      '%d reloads: %s', reloads, run.out)
        harness.check(harness.tagged(run.out, 'R') == {'entry': requests, 'return': requests},
                      '%d requests: %s', requests, run.out)
        for _ in range(3):
            server.reload()
            server.request(1)


BUSYBOX = '''
i=0
while [ $i -lt 30 ]; do i=$((i + 1)); echo line $i | tr a-z A-Z | sed 's/L/_/' ; done
echo $i | awk '{ for (n = 0; n < 300; n++) s += n * $1; print s }'
seq 1 200 | sort -rn | head -3 | md5sum
exit 4
'''


def busybox():
    """A static program without names or unwinding tables, and the children it forks."""
    with tempfile.TemporaryDirectory() as folder:
        path = script(folder, 'script', BUSYBOX)
        same('pid$target:a.out::entry, pid$target:a.out::return { @ = count(); }',
             '%s sh %s' % (harness.installed('busybox'), path))


def zstd():
    """Compressed by several threads and back: the bytes are the same."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'data')
        with open(path, 'w', encoding='utf-8') as f:
            for i in range(150000 if IS_FAST else 40000):
                f.write('%d %x\n' % (i * i % 9973, i * 7919))
        packed = []
        for traced in (False, True):
            command = '%s -q -f -T0 -B64K -3 %s -o %s.%d' % (harness.installed('zstd'), path, path,
                                                        traced)
            if traced:
                result = same('pid$target:a.out::entry, pid$target:a.out::return, '
                              'pid$target:libc.so.6:mem*: { @ = count(); }' if IS_FAST else
                              'pid$target:a.out::entry { @ = count(); }', command, timeout=300)
            else:
                harness.run(command.split())
            with open('%s.%d' % (path, traced), 'rb') as f:
                packed.append(f.read())
        harness.check(packed[0] == packed[1], 'other bytes: %d and %d', *map(len, packed))
        back = '%s -q -d -f %s.1 -o %s.back' % (harness.installed('zstd'), path, path)
        same('pid$target:a.out::entry { @ = count(); }', back, timeout=300)
        harness.check(subprocess.run(['cmp', path, path + '.back'], check=False).returncode == 0,
                      'not what was compressed')
        return '%d probes' % harness.matched(result)


LUA = '''
local caught, sum = 0, 0
for i = 1, %d do
	local ok, why = pcall(function() if i %% 2 == 0 then error({ i }) end return i end)
	if not ok then caught = caught + why[1] end
end
local co = coroutine.wrap(function() for i = 1, 50 do coroutine.yield(i) end return 0 end)
for i = 1, 51 do sum = sum + co() end
local t = {}
for w in ("the quick brown fox"):gmatch("%%a+") do t[#t + 1] = w:upper() end
table.sort(t)
print(caught, sum, table.concat(t, ","))
os.exit(7)
'''


def lua():
    """longjmp at each error, coroutines: a hundred protected calls more are a hundred more."""
    calls = []
    with tempfile.TemporaryDirectory() as folder:
        for turns in (100, 200):
            path = script(folder, 'script.lua', LUA % turns)
            result = same('pid$target:a.out:lua_pcallk:entry { @ = count(); } '
                          'pid$target:a.out:lua_pcallk:entry, pid$target:a.out:lua_pcallk:return '
                          '{ @n[probename] = count(); } '
                          'pid$target:a.out::entry, pid$target:a.out::return { @all = count(); }',
                          harness.installed('lua5.4') + ' ' + path)
            calls.append(harness.counts(result.data))
    harness.check(calls[1]['entry'] - calls[0]['entry'] == 100 ==
                  calls[1]['return'] - calls[0]['return'], 'a hundred calls more: %s', calls)


def python():
    """All functions of the interpreter, entry and return, over exceptions and threads."""
    with tempfile.TemporaryDirectory() as folder:
        path = script(folder, 'script.py', '''
import sys, threading
def deep(n):
    if n: return deep(n - 1) + 1
    raise ValueError(n)
caught = 0
for i in range(20):
    try: deep(i)
    except ValueError: caught += 1
ts = [threading.Thread(target=lambda: sum(range(1000))) for _ in range(4)]
for t in ts: t.start()
for t in ts: t.join()
print(caught, sorted({1: 2, 3: 4}.items()))
sys.exit(9)
''')
        result = same('pid$target:a.out:Py*::entry, pid$target:a.out:_Py*:return '
                      '{ @ = count(); }'.replace('::entry', ':entry') if not IS_FAST else
                      'pid$target:a.out::entry, pid$target:a.out::return { @ = count(); }',
                      '/usr/bin/python3 -I -S -B ' + path, timeout=300,
                      env={'PYTHONHASHSEED': '0'})
        return '%d probes' % harness.matched(result)


def unwinding(name):
    """Exceptions, jumps and stack switches through frames that are probed everywhere, also
    those of the libraries that do it."""
    every = 'pid$target:a.out::, ' if IS_FAST or name != 'context' else ''
    result = same(every + 'pid$target:libstdc*::entry, pid$target:libstdc*::return, '
                  'pid$target:libgcc_s*::entry, pid$target:libgcc_s*::return, '
                  'pid$target:libc.so.6:*jmp*:entry, pid$target:libc.so.6:*jmp*:return, '
                  'pid$target:libc.so.6:*context*: { @[probefunc, probename] = count(); }',
                  harness.target(name), timeout=300)
    calls, returns = harness.truth(result.out)
    seen = {(m.group(1), m.group(2)): int(m.group(3)) for m in re.finditer(
        r'^  (\S+) +(entry|return) +(\d+)$', result.data, re.M)}
    if every:
        harness.same_counts(calls, {f: n for (f, what), n in seen.items() if what == 'entry'},
                            'entries')
        harness.same_counts(returns, {f: n for (f, what), n in seen.items()
                                      if what == 'return'}, 'returns')
    return '%d probes' % harness.matched(result)


CASES = {'redis': redis, 'bash': bash, 'bash_all': bash_all, 'gcc': gcc, 'nginx': nginx,
         'busybox': busybox, 'zstd': zstd, 'lua': lua, 'python': python}
for target_name in ('throwing', 'jump', 'context'):
    CASES['unwinding_' + target_name] = lambda name=target_name: unwinding(name)

if __name__ == '__main__':
    harness.main(CASES)
