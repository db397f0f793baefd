/* SPDX-License-Identifier: MIT */
/*
 * Once it is traced by jumps it changes resident code, which is mapped private and begins
 * with its name, so that a thread that fires a probe never comes out again:
 *
 *	spin	it computes
 *	pause	it sleeps in pause(2)
 *	vfork	it sleeps uninterruptibly in vfork(2), whose child sleeps
 *
 * Says "ready"; at the first byte changes the code, says "changed" and calls work() in two
 * threads; ends with its input. 77: nothing is mapped there.
 */
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../truth.h"

#define NOP 0x90

KEEP long work(long v)
{
	return v * 3 + 1;
}

/* What the resident code becomes: no-operations, then this, which goes back to them. */
static size_t tail_of(const char *how, unsigned char *tail)
{
	static const unsigned char spin[] = {0xeb, 0xf0};
	/* mov $34, %eax; syscall: pause(2) */
	static const unsigned char sleep[] = {0xb8, 34,	  0,	0,   0,
					      0x0f, 0x05, 0xeb, 0xe9};
	/*
	 * mov $58, %eax; syscall: vfork(2); test %eax, %eax; jnz back; the child:
	 * mov $34, %eax; syscall
	 */
	static const unsigned char fork[] = {0xb8, 58,	 0,    0,    0,	   0x0f, 0x05,
					     0x85, 0xc0, 0x75, 0xe5, 0xb8, 34,	 0,
					     0,	   0,	 0x0f, 0x05, 0xeb, 0xf7};

	if (strcmp(how, "pause") == 0) {
		memcpy(tail, sleep, sizeof(sleep));
		return sizeof(sleep);
	}
	if (strcmp(how, "vfork") == 0) {
		memcpy(tail, fork, sizeof(fork));
		return sizeof(fork);
	}
	memcpy(tail, spin, sizeof(spin));
	return sizeof(spin);
}

/* How many mappings were changed. */
static int change(const char *how)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned char tail[32];
	size_t n = tail_of(how, tail);
	unsigned long lo, hi;
	char line[512], prot[8];
	int changed = 0;

	while (maps && fgets(line, sizeof(line), maps)) {
		unsigned char *at;

		if (sscanf(line, "%lx-%lx %7s", &lo, &hi, prot) != 3 ||
		    strcmp(prot, "r-xp") || memcmp((void *)lo, "RSID", 4) ||
		    mprotect((void *)lo, hi - lo, PROT_READ | PROT_WRITE | PROT_EXEC) <
			    0)
			continue;
		at = (unsigned char *)lo;
		memset(at, NOP, hi - lo);
		memcpy(at + (hi - lo) - n, tail, n);
		changed++;
	}
	if (maps)
		fclose(maps);
	return changed;
}

static void *worker(void *arg)
{
	volatile long v = 0;

	for (;;) {
		v = work(v);
		usleep(1000);
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct pollfd input = {STDIN_FILENO, POLLIN, 0};
	char c;

	if (write(STDOUT_FILENO, "ready\n", 6) < 0 || read(STDIN_FILENO, &c, 1) != 1)
		return 1;
	if (!change(argc > 1 ? argv[1] : "spin"))
		return 77;
	if (write(STDOUT_FILENO, "changed\n", 8) < 0)
		return 1;
	for (int i = 0; i < 2; i++) {
		pthread_t t;

		if (pthread_create(&t, NULL, worker, NULL) != 0)
			return 1;
	}
	poll(&input, 1, -1);
	_exit(0);
}
