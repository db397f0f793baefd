/* SPDX-License-Identifier: MIT */
/*
 * The file that a request of a disk is for. The kernel's event has a disk and sectors, no
 * file. An open file of the process is the one if its file system says that all these
 * sectors are that file's: so the answer is never a guess, but there may be none.
 */
#ifndef TRACER_EVENTS_REQUEST_FILE_H
#define TRACER_EVENTS_REQUEST_FILE_H

#include "vm/base/base.h"
#include "vm/base/proc/fdinfo.h"

#include <limits.h>

/* What a request asks for; the process is the one that makes it. */
struct request {
	int pid, tid;
	unsigned major, minor; /* of the disk */
	uint64_t sector, bytes;
};

/* As enum fdinfo; the offset is that of the request in its file. */
struct request_file {
	bool is_known;
	int64_t offset, oflags;
	char path[PATH_MAX], dir[PATH_MAX], fs[64], mount[PATH_MAX];
};

/*
 * out->is_known: whether it was found among the descriptors of the process, in a tenth of
 * a second. The file itself is not opened; its descriptor is duplicated while it is
 * looked at.
 */
void request_file_find(const struct request *r, struct request_file *out);
/* The result of fdinfo_get() for this file; "<none>" when it is not known. */
int64_t request_file_get(const struct request_file *f, enum fdinfo what, char *buf,
			 size_t cap);

#endif
