/* SPDX-License-Identifier: MIT */
#include "symbols/elf/budget.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
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
#define FACTOR	     16
#define LEAST	     (UINT64_C(1) << 20)
#define NSEC_PER_SEC UINT64_C(1000000000)
#define SOON_NS	     (2 * NSEC_PER_SEC)
#define EXTENTS_MAX  1024 /* between holes; what follows counts as data */

static struct symbols_limits limits;
static uint64_t in_use;	       /* bytes, of all files */
static struct strmap reported; /* paths: a file may be opened many times */
static uint64_t hurried_since; /* for the file that was opened last; 0: not yet */

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

	hurried_since = 0;
	*b = (struct budget){.path = oom_strdup(path), .is_hollow = fits < size};
	b->max = limits.bytes ? most : min_u64(most, fits);
}

void budget_release(struct budget *b)
{
	budget_forget(b->spent);
	free(b->path);
	*b = (struct budget){0};
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

bool budget_is_over(void)
{
	enum symbols_urgency urgency =
		limits.urgency ? limits.urgency(limits.ctx) : SYMBOLS_NO_HURRY;

	if (urgency != SYMBOLS_END_SOON)
		return urgency == SYMBOLS_END_NOW;
	if (!hurried_since)
		hurried_since = now_ns();
	return now_ns() - hurried_since > SOON_NS;
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
	uint64_t most = limit_of_all();
	bool is_run = n <= b->max - b->spent && n > most - min_u64(in_use, most);
	char text[4096 + 256], size[32], limit[32];

	b->is_refused = true;
	if (strmap_get(&reported, b->path, NULL))
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

bool budget_take(struct budget *b, uint64_t n, const char *what)
{
	uint64_t most = limit_of_all();

	bool is_over = budget_is_over();

	if (is_over || n > b->max - b->spent || in_use > most || n > most - in_use) {
		b->is_refused = true;
		if (!is_over)
			budget_refuse(b, n, what);
		return false;
	}
	b->spent += n;
	in_use += n;
	return true;
}

void budget_keep(uint64_t n)
{
	in_use += n;
}

void budget_forget(uint64_t n)
{
	in_use -= min_u64(n, in_use);
}
