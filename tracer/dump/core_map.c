/* SPDX-License-Identifier: MIT */
#include "tracer/dump/core_map.h"

#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"
#include "vm/base/proc/maps_line.h"
#include "vm/base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCH	  4096		       /* pages */
#define PAGES_MAX (UINT64_C(1) << 30)  /* that are looked at in all: 4 TB */
#define GAP_MAX	  (UINT64_C(16) << 20) /* absent memory within one segment */
#define PARTS_MAX 60000 /* segments: the number in the file has 16 bits */

/* Bits of /proc/PID/coredump_filter. */
enum {
	FILTER_ANON_PRIVATE = 1,
	FILTER_ANON_SHARED = 2,
	FILTER_FILE_PRIVATE = 4,
	FILTER_FILE_SHARED = 8,
	FILTER_ELF_HEADERS = 16,
	FILTER_HUGE_PRIVATE = 32,
	FILTER_HUGE_SHARED = 64,
};

/* Bits of an entry of /proc/PID/pagemap. */
#define PAGE_IN_MEMORY (UINT64_C(1) << 63)
#define PAGE_SWAPPED   (UINT64_C(1) << 62)
#define PAGE_OF_FILE   (UINT64_C(1) << 61)

static FILE *open_text(int pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return fopen(path, "re");
}

static int open_pagemap(int pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/pagemap", pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* 33 is what the kernel begins with. */
static unsigned read_filter(int pid)
{
	FILE *f = open_text(pid, "coredump_filter");
	unsigned filter = 0x33;

	if (f && fscanf(f, "%x", &filter) != 1)
		filter = 0x33;
	if (f)
		fclose(f);
	return filter;
}

/* ---- mappings ---- */

/* A new mapping; false: it is another line. */
static bool read_head(struct core_map *m, char *line)
{
	struct core_mapping *to;
	struct maps_line l;

	if (!maps_line_parse(line, &l))
		return false;
	to = vec_push(&m->mappings);
	*to = (struct core_mapping){
		.lo = l.lo,
		.hi = l.hi,
		.offset = l.offset,
		.is_readable = l.perms[0] == 'r',
		.is_writable = l.perms[1] == 'w',
		.is_executable = l.perms[2] == 'x',
		.is_shared = l.perms[3] == 's',
		.has_file = l.inode != 0,
		.is_deleted = l.is_deleted,
		.is_left_out = strncmp(l.path, "[vvar", 5) == 0 ||
			       strcmp(l.path, "[vsyscall]") == 0,
		.path = oom_strdup(l.path),
	};
	return true;
}

static void read_flags(struct core_mapping *m, const char *flags)
{
	m->is_left_out |= strstr(flags, " dd") || strstr(flags, " io");
	m->is_huge |= strstr(flags, " ht") != NULL;
}

static int read_mappings(struct core_map *m, int pid, struct err *e)
{
	FILE *f = open_text(pid, "smaps");
	char *line = NULL;
	size_t cap = 0;

	if (!f)
		return err_set(e, STATUS_IO, "its mappings cannot be read: %s",
			       strerror(errno));
	while (getline(&line, &cap, f) > 0) {
		struct core_mapping *last =
			m->mappings.len ? &m->mappings.data[m->mappings.len - 1] : NULL;

		if (last && strncmp(line, "Anonymous:", 10) == 0)
			last->anonymous = strtoull(line + 10, NULL, 10);
		else if (last && strncmp(line, "Swap:", 5) == 0)
			last->anonymous += strtoull(line + 5, NULL, 10);
		else if (last && strncmp(line, "VmFlags:", 8) == 0)
			read_flags(last, line + 8);
		else
			read_head(m, line);
	}
	free(line);
	fclose(f);
	return m->mappings.len ? 0 : err_set(e, STATUS_GONE, "the copy has ended");
}

/* ---- parts ---- */

bool core_map_pages(int pagemap, uint64_t addr, size_t n, bool with_files,
		    bool *present)
{
	uint64_t entries[BATCH];
	size_t done = 0;

	while (done < n) {
		size_t part = min_u64(n - done, BATCH);
		ssize_t got =
			pread(pagemap, entries, part * sizeof(*entries),
			      (off_t)((addr / CORE_PAGE + done) * sizeof(*entries)));

		if (got != (ssize_t)(part * sizeof(*entries)))
			return false;
		for (size_t i = 0; i < part; i++) {
			bool is_own = entries[i] & (PAGE_IN_MEMORY | PAGE_SWAPPED);

			present[done + i] =
				is_own && (with_files || !(entries[i] & PAGE_OF_FILE));
		}
		done += part;
	}
	return true;
}

/* A map in the making. */
struct making {
	struct core_map *map;
	int pagemap;
	uint64_t looked_at; /* pages */
};

static void add_segment(struct making *k, struct core_segment s)
{
	if (s.lo < s.hi)
		*vec_push(&k->map->segments) = s;
}

/*
 * Own pages become segments with content. Between those of anonymous memory there may be
 * absent pages, which are zeros; a file's pages are left to the file.
 */
struct runs {
	struct making *making;
	struct core_segment run; /* the last one; it has no end yet */
	uint64_t end;		 /* of the last page in it */
	uint64_t gap;		 /* most bytes of absent pages inside a run */
};

static void end_run(struct runs *r)
{
	r->run.hi = r->end;
	add_segment(r->making, r->run);
}

static void add_absent(const struct runs *r, uint64_t hi)
{
	add_segment(r->making,
		    (struct core_segment){r->end, hi, r->run.mapping, false});
}

static void add_page(struct runs *r, uint64_t page)
{
	if (!r->run.has_content || page - r->end > r->gap) {
		end_run(r);
		add_absent(r, page);
		r->run = (struct core_segment){page, page, r->run.mapping, true};
	}
	r->end = page + CORE_PAGE;
}

static int split(struct making *k, uint32_t number, struct err *e)
{
	const struct core_mapping *m = &k->map->mappings.data[number];
	struct runs r = {.making = k,
			 .run = {m->lo, m->lo, number, false},
			 .end = m->lo,
			 .gap = m->has_file ? 0 : GAP_MAX};
	bool present[BATCH];

	for (uint64_t at = m->lo; at < m->hi; at += BATCH * CORE_PAGE) {
		size_t n = min_u64((m->hi - at) / CORE_PAGE, BATCH);

		k->looked_at += n;
		if (k->looked_at > PAGES_MAX || k->map->segments.len > PARTS_MAX)
			return err_set(e, STATUS_LIMIT,
				       "its memory has too many parts");
		if (!core_map_pages(k->pagemap, at, n, false, present))
			return err_set(e, STATUS_IO, "its pages are not known");
		for (size_t i = 0; i < n; i++)
			if (present[i])
				add_page(&r, at + i * CORE_PAGE);
	}
	end_run(&r);
	add_absent(&r, m->hi);
	return 0;
}

/* As vma_dump_size() of the kernel's coredump.c says. */
static int add_mapping(struct making *k, uint32_t number, unsigned filter,
		       struct err *e)
{
	const struct core_mapping *m = &k->map->mappings.data[number];
	struct core_segment whole = {m->lo, m->hi, number, true};
	unsigned bit = m->is_huge ? FILTER_HUGE_PRIVATE : FILTER_ANON_PRIVATE;

	if (m->is_left_out)
		return 0;
	if (m->is_shared) {
		bit = m->is_huge		      ? FILTER_HUGE_SHARED
		      : !m->has_file || m->is_deleted ? FILTER_ANON_SHARED
						      : FILTER_FILE_SHARED;
		whole.has_content = filter & bit;
		add_segment(k, whole);
		return 0;
	}
	whole.has_content = strcmp(m->path, "[vdso]") == 0 ||
			    (m->has_file && filter & FILTER_FILE_PRIVATE);
	if (m->anonymous && filter & bit)
		return split(k, number, e);
	if (m->has_file && !whole.has_content && !m->offset && m->is_readable &&
	    filter & FILTER_ELF_HEADERS) {
		add_segment(k, (struct core_segment){m->lo, m->lo + CORE_PAGE, number,
						     true});
		whole.lo += CORE_PAGE;
	}
	add_segment(k, whole);
	return 0;
}

int core_map_read(struct core_map *out, int copy, struct err *e)
{
	struct making k = {.map = out, .pagemap = open_pagemap(copy)};
	unsigned filter = read_filter(copy);
	int rc;

	*out = (struct core_map){0};
	if (k.pagemap < 0)
		return err_set(e, STATUS_IO, "its pages are not known: %s",
			       strerror(errno));
	rc = read_mappings(out, copy, e);
	for (uint32_t i = 0; i < out->mappings.len && !rc; i++)
		rc = add_mapping(&k, i, filter, e);
	close(k.pagemap);
	return rc;
}

void core_map_release(struct core_map *m)
{
	for (size_t i = 0; i < m->mappings.len; i++)
		free(m->mappings.data[i].path);
	vec_release(&m->mappings);
	vec_release(&m->segments);
}
