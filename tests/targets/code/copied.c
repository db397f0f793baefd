/* SPDX-License-Identifier: MIT */
/*
 * Maps the page of its own file that twice() is in once more, data after it, and calls
 * the copy, as V8 does with its builtins, when there is something to read.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../truth.h"

#define PAGE 4096UL

__attribute__((noinline, section(".text.copied"), aligned(4096))) long twice(long n)
{
	__asm__ volatile("");
	return n * 2;
}

/* Fills the rest of that page. */
__attribute__((naked, used, section(".text.copied"), aligned(64))) void filler(void)
{
	__asm__("ret\n\t.skip 3900, 0xcc\n");
}

/* Of the page after. */
__attribute__((noinline, section(".text.copied"), aligned(4096))) long thrice(long n)
{
	__asm__ volatile("");
	return n * 3;
}

/* Where a page of our text stands in the file. */
static off_t offset_of(uintptr_t page)
{
	unsigned long lo, hi, offset;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &lo, &hi, &offset) == 3 &&
		    page >= lo && page < hi)
			return (off_t)(page - lo + offset);
	return -1;
}

int main(void)
{
	uintptr_t page = (uintptr_t)twice & ~(PAGE - 1);
	int fd = open("/proc/self/exe", O_RDONLY);
	char *room = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *copy = room + 32 * PAGE;
	unsigned long called = 0, original = 0, changed = 0;
	long (*f)(long);
	uintptr_t at = (uintptr_t)copy + ((uintptr_t)twice - page);

	/* as much nop as text: what is written there by mistake is an instruction's */
	memset(room, 0x90, 64 * PAGE);
	if (mmap(copy, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
		 offset_of(page)) == MAP_FAILED)
		return 1;
	memcpy(&f, &at, sizeof(f));
	puts("ready");
	fflush(stdout);
	getchar();
	for (; called < 10; called++)
		f((long)called);
	for (; original < 5; original++)
		twice((long)original);
	for (char *p = room; p < room + 64 * PAGE; p++)
		changed += (p < copy || p >= copy + PAGE) && *p != (char)0x90;
	truth("copied", &called);
	truth("original", &original);
	truth("changed", &changed);
	return thrice(0) != 0;
}
