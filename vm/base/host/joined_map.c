/* SPDX-License-Identifier: MIT */
#include "vm/base/host/joined_map.h"

#include <errno.h>
#include <sys/mman.h>

void *joined_map(const struct joined_file *files, size_t n)
{
	uint64_t size = files[n - 1].at + files[n - 1].size;
	char *range = mmap(NULL, size, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (range == MAP_FAILED)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		const struct joined_file *f = &files[i];
		int prot = f->is_read_only ? PROT_READ : PROT_READ | PROT_WRITE;

		if (mmap(range + f->at, f->size, prot, MAP_SHARED | MAP_FIXED, f->fd,
			 0) == MAP_FAILED) {
			int error = errno;

			munmap(range, size);
			errno = error;
			return NULL;
		}
	}
	return range;
}
