/* SPDX-License-Identifier: MIT */
/*
 * Makes functions at run time and lists them in a perf map, as runtimes of languages do.
 * Each calls the next of a chain, through a frame with a frame pointer; the last is
 * mark(), of this file.
 *
 *	generated		calls a chain of three, three times
 *	generated moves		moves, replaces, writes again and protects functions with the
 *				names Shop.Worker:Handle... (int), and calls each when a
 *				breakpoint has come, or gone
 *	generated shared	calls Shop.Worker:Handle (int) in memory that a child shares,
 *				three times in both
 *	generated calls		calls Shop.Worker:Handle (int) until its input ends, and says
 *				whether its code is what it was
 */
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../truth.h"

#define PAGE 4096
#define TRAP 0xcc /* int3 */

struct chain;
typedef int link_fn(const struct chain *rest);
struct chain {
	link_fn *next;
};

/* push %rbp; mov %rsp,%rbp; mov (%rdi),%rax; add $8,%rdi; call *%rax; pop %rbp; ret */
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x8b, 0x07, 0x48,
				     0x83, 0xc7, 0x08, 0xff, 0xd0, 0x5d, 0xc3};

static char path[64];
static FILE *map;
static volatile int sink;

KEEP int mark(const struct chain *rest)
{
	(void)rest;
	return ++sink;
}

static void *make(unsigned char *at, const char *name)
{
	memcpy(at, code, sizeof(code));
	fprintf(map, "%lx %zx %s\n", (unsigned long)at, sizeof(code), name);
	fflush(map);
	return at;
}

static unsigned char *map_page(int protection, int flags)
{
	unsigned char *p = mmap(NULL, PAGE, protection, flags | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(2);
	return p;
}

static unsigned char *page(int protection)
{
	return map_page(protection, MAP_PRIVATE);
}

static void open_map(void)
{
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	unlink(path);
	fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0644);
	map = fd < 0 ? NULL : fdopen(fd, "w");
	if (!map)
		exit(2);
}

static void chain_of_three(void)
{
	unsigned char *at = page(PROT_READ | PROT_WRITE | PROT_EXEC);
	struct chain chain[4] = {{NULL}, {NULL}, {NULL}, {mark}};

	/* the first name is replaced by a later one */
	make(at + 256, "Old:Name ()");
	chain[0].next = (link_fn *)make(at, "Shop.Worker:Main (string[])");
	chain[1].next = (link_fn *)make(at + 128, "odd;name\x1b[2J caf\xc3\xa9\xff");
	chain[2].next = (link_fn *)make(at + 256, "JS:*leaf /a/b.js:1:2");
	for (int i = 0; i < 3; i++)
		chain[0].next(&chain[1]);
}

/* Waits until a breakpoint is there, or the program's own byte again. */
static void wait_for(const unsigned char *at, unsigned char byte)
{
	for (int i = 0; i < 20000; i++) {
		if (*(const volatile unsigned char *)at == byte)
			return;
		usleep(1000);
	}
	printf("never %02x at %p\n", byte, (const void *)at);
	exit(3);
}

static void call(void *f, int times)
{
	const struct chain chain[] = {{mark}};

	for (int i = 0; i < times; i++)
		((link_fn *)f)(chain);
}

static void moves(void)
{
	unsigned char *a = page(PROT_READ | PROT_WRITE | PROT_EXEC), *b = a + 1024,
		      *c = a + 2048, *d = page(PROT_READ | PROT_WRITE);

	make(a, "Shop.Worker:Handle (int)");
	wait_for(a, TRAP);
	call(a, 3);
	/* it is moved, and another is where it was */
	make(b, "Shop.Worker:Handle (int)");
	make(a, "Shop.Other:Handle (int)");
	wait_for(b, TRAP);
	call(a, 5);
	call(b, 2);
	if (*a != code[0])
		exit(4);
	/* its code is freed, but not written to: something larger is listed there */
	fprintf(map, "%lx 100 Large\n", (unsigned long)b - 16);
	fflush(map);
	wait_for(b, code[0]);
	call(b, 4);
	/* the same code is written once more: the breakpoint comes again */
	make(c, "Shop.Worker:HandleTwice (int)");
	wait_for(c, TRAP);
	memcpy(c, code, sizeof(code));
	wait_for(c, TRAP);
	call(c, 6);
	/* a page that is not executable when the function is listed */
	make(d, "Shop.Worker:HandleLate (int)");
	usleep(50000);
	if (mprotect(d, PAGE, PROT_READ | PROT_EXEC))
		exit(2);
	wait_for(d, TRAP);
	call(d, 7);
}

static void shared(void)
{
	unsigned char *at = map_page(PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED);
	int child, status;

	make(at, "Shop.Worker:Handle (int)");
	usleep(100000); /* time for a breakpoint that must not come */
	child = fork();
	call(at, 3);
	if (!child)
		_exit(sink);
	if (waitpid(child, &status, 0) != child || status != 3 << 8 ||
	    memcmp(at, code, sizeof(code)) != 0)
		exit(4);
}

static void calls(void)
{
	unsigned char *at = page(PROT_READ | PROT_WRITE | PROT_EXEC);
	struct pollfd input = {.fd = 0, .events = POLLIN};

	make(at, "Shop.Worker:Handle (int)");
	printf("map: %s\n", path);
	fflush(stdout);
	while (poll(&input, 1, 1) == 0)
		call(at, 1);
	wait_for(at, code[0]);
	if (memcmp(at, code, sizeof(code)) != 0)
		exit(4);
}

int main(int argc, char *argv[])
{
	open_map();
	if (argc > 1 && strcmp(argv[1], "moves") == 0)
		moves();
	else if (argc > 1 && strcmp(argv[1], "shared") == 0)
		shared();
	else if (argc > 1 && strcmp(argv[1], "calls") == 0)
		calls();
	else
		chain_of_three();
	printf("mark %d\nmap: %s\n", sink, path); /* left there, as runtimes do */
	return 0;
}
