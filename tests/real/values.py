#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What dtrace says of values: it is true, or refused with the reason.

Each case is a small program with its own truth. oracle.py compares many more values,
of generated functions, with those that gdb reads.
"""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from harness import DTRACE, PROVIDER, check, installed, main, run, traced  # noqa: E402

KEEP = '__attribute__((noinline))\n'
SEEN = 'asm volatile("" ::"r"(p) : "memory");'


class Program:
    """A program made from sources, {file name: text}, in a folder of its own."""

    def __init__(self, sources, command):
        self.sources, self.command = sources, command

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix='values-')
        for name, text in self.sources.items():
            with open(os.path.join(self.folder.name, name), 'w', encoding='utf-8') as f:
                f.write(text)
        words = self.command.split()
        installed(words[0])
        made = run(words + ['-o', 'p'], cwd=self.folder.name, timeout=100)
        check(made.status == 0, 'not built: %s', made)
        self.path = os.path.join(self.folder.name, 'p')
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def prints(self, program, expected, options=('-q',)):
        data = ' '.join(traced(program, self.path, options).data.split())
        check(data == expected, '%s\nprinted: %s\nright is: %s', program, data, expected)

    def refuses(self, program, *parts):
        provider = program.replace('pid$', PROVIDER + '$')
        result = run([DTRACE, '-q', '-n', provider, '-c', self.path])
        check(result.status == 1, 'not refused: %s\n%s', program, result)
        for part in parts:
            check(part in result.err, 'no "%s" in the reason\n%s', part, result)


# ---- types and variables have one identity ----

SPACES = {
    'net.h': 'namespace net { struct Conf { int port, backlog; }; }',
    'disk.h': 'namespace disk { struct Conf { short sectors, heads; float rpm; }; }',
    'in.h': 'namespace in { struct Box { int v; }; template <class X> struct G { X z, y; }; }',
    'out.h': 'namespace out { struct Box { in::Box base; };'
             ' template <class X> struct G { in::G<X> inner; }; }',
    'p.cc': '#include "net.h"\n#include "disk.h"\n#include "in.h"\n#include "out.h"\n'
            'struct Outer { struct Inner { int deep; } i; };\n'
            'namespace net { int hits = 3; } namespace disk { int hits = 4; }\n'
            + KEEP + 'int both(net::Conf *p, disk::Conf *q) {' + SEEN + ' return q->heads; }\n'
            + KEEP + 'int fill(in::Box *p) {' + SEEN + ' return p->v; }\n'
            + KEEP + 'int wrap(out::Box *p) {' + SEEN + ' return p->base.v; }\n'
            + KEEP + 'int look(out::G<int> *p, Outer *o) {' + SEEN + ' return o->i.deep; }\n'
            'int main() { net::Conf a{80, 5}; disk::Conf b{63, 16, 7200}; out::Box c{{9}};\n'
            ' out::G<int> g{{55, 66}}; Outer o{{77}};\n'
            ' return both(&a, &b) + fill(&c.base) + wrap(&c) + look(&g, &o) +'
            ' net::hits++ + disk::hits++ == 0; }\n'}


def namespaces():
    with Program(SPACES, 'g++ -O1 -g p.cc') as p:
        p.prints('pid$target:a.out:both*:entry { printf("%d %d %d %d", args[0]->port,'
                 ' args[0]->backlog, args[1]->sectors, args[1]->heads); }', '80 5 63 16')
        p.prints('pid$target:a.out:fill*:entry { printf("%d ", args[0]->v); }'
                 'pid$target:a.out:wrap*:entry { printf("%d", args[0]->base.v); }', '9 9')
        p.prints('pid$target:a.out:look*:entry { printf("%d %d %d", args[0]->inner.z,'
                 ' args[0]->inner.y, args[1]->i.deep); }', '55 66 77')
        # by name
        p.prints('pid$target:a.out:both*:entry { printf("%d %d %d",'
                 ' ((struct pid`net::Conf *)arg0)->port, ((pid`disk::Conf *)arg1)->heads,'
                 ' ((pid`struct disk::Conf *)arg1)->sectors); }', '80 16 63')
        p.prints('pid$target:a.out:look*:entry { printf("%d %d",'
                 ' ((struct pid`in::G<int> *)arg0)->y,'
                 ' ((struct pid`Outer::Inner *)arg1)->deep); }', '66 77')
        p.prints('pid$target:a.out:main:entry { printf("%d %d",'
                 ' a.out`net::hits, pid`disk::hits); }', '3 4')
        p.refuses('pid$target:a.out:both*:entry { trace(((struct pid`Conf *)arg0)->port); }',
                  'several types have this name', 'struct pid`net::Conf',
                  'struct pid`disk::Conf')
        p.refuses('pid$target:a.out:main:entry { trace(a.out`hits); }',
                  'several variables have this name', 'a.out`net::hits', 'a.out`disk::hits')


FILES = {
    'a.c': '#include "h.h"\nstruct rec { int one, two; };\nstatic int hits = 100;\n'
           'struct priv { int a; }; static struct priv own = {41}; struct dev deva = {&own, 1};\n'
           + KEEP + 'int take_first(struct rec *p, struct dev *d) {' + SEEN
           + ' return ++hits + d->n; }\n'
           'int take_other(void *, struct dev *); int main(void) { struct rec r = {1, 2};\n'
           ' long s = 0x700000006; take_first(&r, &deva); take_other(&s, &devb); take_first(&r, &deva);'
           ' return 0; }\n',
    'b.c': '#include "h.h"\nstruct rec { short three, four, five, six; };\n'
           'static int hits = 500;\n'
           'struct priv { short x, b; }; static struct priv own = {7, 42};'
           ' struct dev devb = {&own, 2};\n'
           + KEEP + 'int take_other(struct rec *p, struct dev *d) {' + SEEN
           + ' return ++hits + d->n + p->three; }\n',
    'h.h': 'struct common { int n; struct common *next; };\nextern struct common shared;\n'
           'struct dev { struct priv *priv; int n; }; extern struct dev deva, devb;\n',
    'c.c': '#include "h.h"\nstruct common shared = {12};\n'}


def source_files():
    """Two C files may use one name for different things, also behind a pointer."""
    with Program(FILES, 'gcc -O1 -g a.c b.c c.c') as p:
        p.prints('pid$target:a.out:take_first:entry { printf("%d ", a.out`hits); }'
                 'pid$target:a.out:take_other:entry { printf("%d ", a.out`hits); }', '100 500 101')
        p.prints('pid$target:a.out:take_first:entry { printf("%d ", ((struct pid`rec *)arg0)->two); }'
                 'pid$target:a.out:take_other:entry { printf("%d ", ((struct pid`rec *)arg0)->three); }',
                 '2 6 2')
        p.prints('pid$target:a.out:take_first:entry { printf("%d ", args[1]->priv->a); }'
                 'pid$target:a.out:take_other:entry { printf("%d ", args[1]->priv->b); }', '41 42 41')
        p.prints('pid$target:a.out:main:entry { printf("%d %d %d %d", a.out`b.c`hits,'
                 ' pid`a.c`hits, ((struct pid`b.c`rec *)arg1)->four * 0,'
                 ' a.out`shared.n); }', '500 100 0 12')
        p.prints('BEGIN { printf("%d", sizeof (struct pid`b.c`rec)); exit(0); }', '8')
        # the same declaration in several files is one type
        p.prints('struct pid`common *c; pid$target:a.out:take_first:entry, pid$target:a.out:take_other:entry'
                 ' { c = &a.out`shared; printf("%d ", c->n); }', '12 12 12')
        p.prints('pid$target:a.out:take_first:entry { this->d = args[1]; printf("%d ", this->d->n); }',
                 '1 1')
        p.refuses('BEGIN { trace(a.out`hits); }', 'several variables have this name',
                  'a.out`a.c`hits', 'a.out`b.c`hits')
        p.refuses('BEGIN { trace(((struct rec *)0)->two); }', 'several types have this name',
                  'struct pid`a.c`rec', 'struct pid`b.c`rec')
        p.refuses('pid$target:a.out:take_*:entry { trace(a.out`hits); }',
                  'several variables have this name')
        p.refuses('pid$target:a.out:take_*:entry { trace(args[1]->priv); }',
                  'unstable set of probes')


NAMES = {'p.cc': '#include <string>\nstruct Pot { std::string label(int n) const; };\n'
         + KEEP + 'std::string Pot::label(int n) const { asm volatile("" ::"r"(n));'
         ' return std::string(n, 'r"'x'"'); }\n'
         'namespace util { template <class T> struct Box { T t; ' + KEEP.strip()
         + ' T put(T u) { asm volatile("" ::: "memory"); return t = u; } };\n'
         'template <class T> ' + KEEP.strip() + ' int grind(T t)'
         ' { asm volatile("" ::"g"(t)); return 1; }\n' + KEEP
         + 'int grinder(int n) { asm volatile("" ::"g"(n)); return n; } }\n'
         'int main(int argc, char **) { Pot p; util::Box<int> b; util::Box<long> c;\n'
         ' return p.label(argc).size() + util::grind(1) + util::grind(2L) + util::grind(3)'
         " + util::grind('c') + util::grinder(4) + b.put(5) + c.put(6) == 99; }\n"}


def source_names():
    """Functions by the name in the source: without ABI tags and template arguments."""
    with Program(NAMES, 'g++ -std=c++17 -O1 -g p.cc') as p:
        for name, count in (('Pot::label', 1), ('util::grind', 4), ('util::Box::put', 2)):
            p.prints('pid$target:a.out:%s:entry { @ = count(); }' % name, str(count))


CASES = {
    'source_names': source_names,
    'namespaces': namespaces,
    'source_files': source_files,
}

if __name__ == '__main__':
    main(CASES)
