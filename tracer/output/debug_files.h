/* SPDX-License-Identifier: MIT */
/*
 * The debug data of files, each opened when it is first needed.
 */
#ifndef TRACER_OUTPUT_DEBUG_FILES_H
#define TRACER_OUTPUT_DEBUG_FILES_H

#include "symbols/symbols.h"
#include "symbols/types.h"

/* A zeroed one is empty and ready. */
struct debug_files {
	struct {
		struct debug_file {
			uint64_t dev, ino;
			struct module_types *types; /* NULL: there is none */
		} * data;
		size_t len, cap;
	} files;
};

/* That of the module's file, valid until debug_files_release(); NULL: there is none. */
struct module_types *debug_files_of(struct debug_files *d, const struct module *m);
void debug_files_release(struct debug_files *d);

#endif
