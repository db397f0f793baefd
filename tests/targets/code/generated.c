/* SPDX-License-Identifier: MIT */
/*
 * Makes functions at run time and lists them in a perf map, as runtimes of languages do.
 * Each calls the next of a chain, through a frame with a frame pointer; the last is
 * mark(), of this file.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../truth.h"

#define PAGE 4096

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

int main(void)
{
	unsigned char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct chain chain[4] = {{NULL}, {NULL}, {NULL}, {mark}};
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	unlink(path);
	fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0644);
	map = fd < 0 ? NULL : fdopen(fd, "w");
	if (page == MAP_FAILED || !map)
		return 1;
	/* the first name is replaced by a later one */
	make(page + 256, "Old:Name ()");
	chain[0].next = (link_fn *)make(page, "Shop.Worker:Main (string[])");
	chain[1].next = (link_fn *)make(page + 128, "odd;name\x1b[2J caf\xc3\xa9\xff");
	chain[2].next = (link_fn *)make(page + 256, "JS:*leaf /a/b.js:1:2");
	for (int i = 0; i < 3; i++)
		chain[0].next(&chain[1]);
	printf("mark %d\nmap: %s\n", sink, path); /* left there, as runtimes do */
	return 0;
}
