/* SPDX-License-Identifier: MIT */
/*
 * Maps several files one after the other, as one range of addresses.
 */
#ifndef VM_BASE_HOST_JOINED_MAP_H
#define VM_BASE_HOST_JOINED_MAP_H

#include "vm/base/base.h"

/* A file, mapped shared from its beginning. at and size are multiples of the page. */
struct joined_file {
	int fd;
	uint64_t at, size; /* place in the range */
	bool is_read_only;
};

/*
 * Maps n files, in ascending order, without overlaps. The range ends with the last one.
 * Returns its address, which the caller unmaps with munmap(2); NULL: errno.
 */
void *joined_map(const struct joined_file *files, size_t n);

#endif
