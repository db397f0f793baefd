/* SPDX-License-Identifier: MIT */
/*
 * Changing a few bytes at many places of a target's code.
 *
 * A write to another process's private text costs about the same for one byte as for a
 * page: the kernel takes a lock and copies the page. So neighbouring pages are read,
 * changed and written as one run: 1,000 breakpoints in 5 us instead of 850.
 */
#ifndef TRACER_KEEPER_SPACE_TEXT_WRITE_H
#define TRACER_KEEPER_SPACE_TEXT_WRITE_H

#include "tracer/keeper/os/procfs.h"
#include "vm/base/taddr.h"

#define TEXT_SPAN_MAX 64

/* One place: n bytes, at most TEXT_SPAN_MAX. */
struct text_span {
	taddr at;
	size_t n;
};

enum text_result {
	TEXT_FAILED,  /* the memory cannot be read or written */
	TEXT_FOREIGN, /* other bytes than expected: they were left alone */
	TEXT_PRESENT, /* the wanted bytes were there already */
	TEXT_CHANGED,
};

/* What to write: n places, ascending by address and apart from each other. */
struct text_write {
	int mem; /* /proc/PID/mem */
	/*
	 * Where the target may write meanwhile (a writable mapping, or none that is
	 * listed) each place is written alone. NULL: whole pages everywhere, for
	 * memory that no other thread writes or runs.
	 */
	const struct procfs_maps *maps;
	bool is_look; /* change() changes nothing: TEXT_FOREIGN or _PRESENT */
	size_t n;
	void *ctx;
	struct text_span (*span)(const void *ctx, size_t i);
	/* Changes the place's bytes in a copy: TEXT_FOREIGN, _PRESENT or _CHANGED. */
	enum text_result (*change)(void *ctx, size_t i, uint8_t *bytes);
};

/*
 * Writes all places, or looks at them; results[i] is an enum text_result. change() may be
 * called more than once for a place. A place that could not be written has its old bytes.
 */
void text_write(const struct text_write *w, uint8_t *results);

#endif
