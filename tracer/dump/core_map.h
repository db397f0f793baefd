/* SPDX-License-Identifier: MIT */
/*
 * What of a process's memory goes into a core: its mappings, as /proc/PID/smaps has them,
 * and the parts of them whose content is written. /proc/PID/coredump_filter is respected
 * as the kernel does it (core(5)).
 */
#ifndef TRACER_DUMP_CORE_MAP_H
#define TRACER_DUMP_CORE_MAP_H

#include "vm/base/host/err.h"

struct core_mapping {
	uint64_t lo, hi, offset; /* the last: in its file */
	bool is_readable, is_writable, is_executable, is_shared;
	bool has_file;
	uint64_t anonymous; /* KB that are the process's own */
	bool is_left_out;   /* VM_IO, VM_DONTDUMP, [vvar] */
	bool is_huge, is_deleted;
	char *path; /* owned; "" without a name */
};

/* A part of a mapping. */
struct core_segment {
	uint64_t lo, hi;
	uint32_t mapping;
	/* Its content is written; else a reader looks into the file that is mapped. */
	bool has_content;
};

struct core_map {
	struct {
		struct core_mapping *data;
		size_t len, cap;
	} mappings;
	struct {
		struct core_segment *data;
		size_t len, cap;
	} segments; /* ascending; each byte of each mapping, but for those left out */
};

/*
 * Of process copy. Reads files of /proc that may be long: for a thread of its own. The
 * caller releases out in any case.
 */
int core_map_read(struct core_map *out, int copy, struct err *e);
void core_map_release(struct core_map *m);

/*
 * Sets present[i] for n pages from the address: the page is in memory, or swapped out.
 * pagemap: of /proc/PID/pagemap. with_files: pages of a file's cache count as well.
 */
bool core_map_pages(int pagemap, uint64_t addr, size_t n, bool with_files,
		    bool *present);

#define CORE_PAGE 4096

#endif
