/* SPDX-License-Identifier: MIT */
/*
 * The file of a core. It has no name before it is whole, where the file system can do
 * that: whatever ends dtrace leaves no half of a core.
 */
#ifndef TRACER_DUMP_CORE_OUT_H
#define TRACER_DUMP_CORE_OUT_H

#include "vm/base/host/err.h"

#include <stdbool.h>

struct core_out {
	int fd;		 /* to write to; -1: not open */
	int folder;	 /* where it will have its name */
	char *name;	 /* owned */
	bool is_unnamed; /* there is no file of that name yet, or the old one */
};

#define CORE_OUT_NONE ((struct core_out){-1, -1, NULL, false})

/*
 * Opens it for the user: a new file, or one in place of a regular file of theirs. If not,
 * *o is CORE_OUT_NONE.
 */
int core_out_open(struct core_out *o, const char *path, struct err *e);
/* It is whole: gives it its name. It stays open. */
int core_out_keep(struct core_out *o, struct err *e);
/* Removes the file, if it has a name. The path may lead to another one by now. */
void core_out_remove(const struct core_out *o);
void core_out_close(struct core_out *o);

#endif
