/* SPDX-License-Identifier: MIT */
/* Attacks on the code that the keeper maps: patched, taken away, never left. */
#include "tests/attack/hostile.h"
#include "tests/attack/shared.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A jump to itself. */
static const unsigned char forever[] = {0xeb, 0xfe};

static const struct resident_text *resident(void)
{
	return region_of(RESIDENT_MAGIC);
}

static void *one_call(void *arg)
{
	work(1);
	return arg;
}

/* stay enter|leave|guard N: N threads go into resident code and never leave it. */
static const char *stay(int argc, char **argv)
{
	const struct resident_text *t = resident();
	unsigned char *base = (unsigned char *)(uintptr_t)t;
	const char *where = argc ? argv[0] : "enter";
	pthread_t thread;

	if (!t)
		return "no resident code";
	poke(base + (!strcmp(where, "leave")   ? t->late_begin
		     : !strcmp(where, "guard") ? t->fast_end
					       : t->enter),
	     forever, sizeof(forever));
	for (unsigned long i = number_of(argc, argv, 1); i > 0; i--)
		pthread_create(&thread, NULL, one_call, NULL);
	usleep(50000);
	return NULL;
}

/* fill BYTE: resident code is nothing but this byte. */
static const char *fill(int argc, char **argv)
{
	const struct resident_text *t = resident();
	static unsigned char bytes[1 << 20];
	size_t n;

	if (!t)
		return "no resident code";
	n = t->bytes < sizeof(bytes) ? t->bytes : sizeof(bytes);
	memset(bytes, (int)number_of(argc, argv, 0), n);
	poke((unsigned char *)(uintptr_t)t + sizeof(*t), bytes, n - sizeof(*t));
	return NULL;
}

/* The tracer's mappings; what is not: the program's own, and its libraries. */
static bool is_foreign(const struct region *r)
{
	return r->is_memfd || (r->is_shared && r->is_readable);
}

/* unmap | protect: all memory shared with the tracer goes, or cannot be touched. */
static const char *take(bool is_unmap)
{
	static struct region r[4096];
	size_t n = regions(r, 4096);
	const void *text = resident();

	for (size_t i = 0; i < n; i++) {
		void *at = pointer_to(r[i].lo);

		if (!is_foreign(&r[i]) && at != text)
			continue;
		if (is_unmap)
			munmap(at, r[i].hi - r[i].lo);
		else
			mprotect(at, r[i].hi - r[i].lo, PROT_NONE);
		poked++;
	}
	return poked ? NULL : "nothing is shared";
}

static const char *unmap(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return take(true);
}

static const char *protect(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return take(false);
}

/* own BYTE: work() itself, where the tracer has put a jump or a breakpoint. */
static const char *own(int argc, char **argv)
{
	unsigned char bytes[16];

	memset(bytes, (int)number_of(argc, argv, 0), sizeof(bytes));
	poke((void *)(uintptr_t)work, bytes, sizeof(bytes));
	return NULL;
}

static void cut_off(const struct region *r)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/map_files/%lx-%lx", r->lo, r->hi);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	poked += ftruncate(fd, 0) == 0;
	poked += ftruncate(fd, 1L << 40) == 0;
	poked += fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			   (off_t)(r->hi - r->lo)) == 0;
	poked += fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) == 0;
	close(fd);
}

/* seals: whatever can still be sealed or cut off in the shared files is. */
static const char *seals(int argc, char **argv)
{
	static struct region r[4096];
	size_t n = regions(r, 4096);

	(void)argc;
	(void)argv;
	for (size_t i = 0; i < n; i++)
		if (r[i].is_memfd)
			cut_off(&r[i]);
	return NULL;
}

const struct attack text_attacks[] = {
	{"stay", stay},	  {"fill", fill}, {"unmap", unmap}, {"protect", protect},
	{"seals", seals}, {"own", own},	  {NULL, NULL},
};
