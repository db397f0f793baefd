/* SPDX-License-Identifier: MIT */
/*
 * Writes the core of a process (core(5)) from a copy of it that stands still.
 */
#ifndef TRACER_DUMP_CORE_FILE_H
#define TRACER_DUMP_CORE_FILE_H

#include "vm/base/host/err.h"

#include <stdatomic.h>

struct core_source {
	int pid;   /* of the process */
	int copy;  /* of its copy */
	int mem;   /* /proc/COPY/mem */
	int notes; /* a file with the notes of its threads */
};

/*
 * Writes to out, an empty regular file, with holes for zeros. *progress grows while it
 * goes on; *is_cancelled ends it. STATUS_GONE: the copy has ended.
 */
int core_file_write(const struct core_source *s, int out, _Atomic uint64_t *progress,
		    const atomic_bool *is_cancelled, struct err *e);

#endif
