/* SPDX-License-Identifier: MIT */
/*
 * Limits of what this folder reads and keeps of all files, and how their readers are
 * interrupted. A process has one set of limits.
 */
#ifndef SYMBOLS_LIMITS_H
#define SYMBOLS_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

struct symbols_limits {
	/*
	 * Bytes of memory that the contents of files may take, for one file and for all
	 * together. 0: SYMBOLS_LIMIT_DEFAULT, and for one file at most what fits its
	 * size without holes.
	 */
	uint64_t bytes;
	/*
	 * Asked between steps of reading, in any thread: true ends them, with what they
	 * have. NULL: they are not asked.
	 */
	bool (*is_over)(void *ctx);
	/*
	 * Called before something is refused because all files together take too much:
	 * it frees what was read ahead. NULL: nothing was.
	 */
	void (*make_room)(void *ctx);
	/* Called once for each file of which something is left out. NULL: not. */
	void (*report)(void *ctx, const char *text);
	void *ctx;
};

#define SYMBOLS_LIMIT_DEFAULT (UINT64_C(768) << 20)

/* Copies the limits. They hold for everything that is read from now on. */
void symbols_set_limits(const struct symbols_limits *limits);

#endif
