/* SPDX-License-Identifier: MIT */
#include "symbols/elf/budget.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/limits.h"
#include "vm/base/host/log.h"
#include "vm/base/host/map.h"
#include "vm/base/host/oom.h"

/*
 * A file may take so many times its own size: the tables of functions that are made
 * from one entry of a symbol table are about ten times as large as the entry, and debug
 * data is compressed to a fourth or so.
 */
#define FACTOR	    16
#define LEAST	    (UINT64_C(1) << 20)
#define EXTENTS_MAX 1024 /* between holes; what follows counts as data */

static struct symbols_limits limits;
static _Atomic uint64_t in_use; /* bytes, of all files */
static struct strmap reported;	/* paths: a file may be opened many times */
static _Thread_local struct budget_ahead
	*ahead; /* NULL: this thread reads for itself */

static uint64_t limit_of_all(void)
{
	return limits.bytes ? limits.bytes : SYMBOLS_LIMIT_DEFAULT;
}

void symbols_set_limits(const struct symbols_limits *to)
{
	limits = *to;
}

/* The size of a file of n bytes without its holes. */
static uint64_t true_size(int fd, uint64_t n)
{
	uint64_t data = 0, at = 0;

	for (int i = 0; i < EXTENTS_MAX && at < n; i++) {
		off_t lo = lseek(fd, (off_t)at, SEEK_DATA), hi;

		if (lo < 0) /* only a hole follows, or the file system does not tell */
			return errno == ENXIO ? data : n;
		hi = lseek(fd, lo, SEEK_HOLE);
		if (hi <= lo)
			return n;
		data += (uint64_t)(hi - lo);
		at = (uint64_t)hi;
	}
	return data + (max_u64(n, at) - at);
}

void budget_init(struct budget *b, int fd, const char *path)
{
	uint64_t most = limit_of_all();

	struct stat st;
	uint64_t size = fstat(fd, &st) < 0 ? 0 : (uint64_t)st.st_size;
	uint64_t fits = FACTOR * min_u64(true_size(fd, size), most) + LEAST;

	*b = (struct budget){.path = oom_strdup(path), .is_hollow = fits < size};
	b->max = limits.bytes ? most : min_u64(most, fits);
}

void budget_release(struct budget *b)
{
	budget_forget(b->spent);
	free(b->path);
	*b = (struct budget){0};
}

bool budget_is_over(void)
{
	if (ahead)
		return ahead->is_refused ||
		       atomic_load_explicit(ahead->is_stopped, memory_order_relaxed);
	return limits.is_over && limits.is_over(limits.ctx);
}

/* "12 KiB", "1.5 GiB". */
static const char *size_text(uint64_t n, char text[32])
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
	double v = (double)n;
	size_t i = 0;

	for (; v >= 1024 && i + 1 < ARRAY_LEN(units); i++)
		v /= 1024;
	snprintf(text, 32, "%.*f %s", v < 10 && i ? 1 : 0, v, units[i]);
	return text;
}

void budget_refuse(struct budget *b, uint64_t n, const char *what)
{
	uint64_t most = limit_of_all(), used = atomic_load(&in_use);
	bool is_run = n <= b->max - b->spent && n > most - min_u64(used, most);
	char text[4096 + 256], size[32], limit[32];

	b->is_refused = true;
	if (ahead)
		ahead->is_refused = true;
	if (ahead || strmap_get(&reported, b->path, NULL))
		return;
	strmap_set(&reported, b->path, 1);
	snprintf(text, sizeof(text),
		 "'%.4000s': %s is left out: it takes %s, and the limit for %s is %s; "
		 "-x symlimit=SIZE raises it",
		 b->path, what, size_text(n, size), is_run ? "all files" : "this file",
		 size_text(is_run ? most : b->max, limit));
	log_debug("symbols", "%s", text);
	if (limits.report)
		limits.report(limits.ctx, text);
}

/* Takes n bytes of the limit of all files. What is read ahead gets half of it. */
static bool take_of_all(uint64_t n)
{
	uint64_t most = ahead ? limit_of_all() / 2 : limit_of_all();
	uint64_t used = atomic_load(&in_use);

	do {
		if (used > most || n > most - used)
			return false;
	} while (!atomic_compare_exchange_weak(&in_use, &used, used + n));
	return true;
}

static bool take(uint64_t n)
{
	if (take_of_all(n))
		return true;
	if (ahead || !limits.make_room)
		return false;
	limits.make_room(limits.ctx);
	return take_of_all(n);
}

bool budget_take(struct budget *b, uint64_t n, const char *what)
{
	bool is_over = budget_is_over();

	if (is_over || n > b->max - b->spent || !take(n)) {
		b->is_refused = true;
		if (!is_over)
			budget_refuse(b, n, what);
		return false;
	}
	b->spent += n;
	return true;
}

void budget_keep(uint64_t n)
{
	atomic_fetch_add(&in_use, n);
}

void budget_forget(uint64_t n)
{
	uint64_t used = atomic_load(&in_use);

	while (!atomic_compare_exchange_weak(&in_use, &used, used - min_u64(n, used)))
		;
}

void budget_read_ahead(struct budget_ahead *of)
{
	ahead = of;
}
