/* SPDX-License-Identifier: MIT */
/*
 * The debug data of files, each opened when it is first needed. The user may give up to
 * wait for them (patient_load.h).
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

/*
 * That of the module's file, valid until debug_files_release(); NULL: there is none.
 * value: the address in the file that is asked first.
 */
struct module_types *debug_files_of(struct debug_files *d, const struct module *m,
				    uint64_t value);
/* module_types_places() of an address in the process; 0: not known. */
size_t debug_files_places(struct debug_files *d, const struct module *m, taddr pc,
			  struct target_place out[TARGET_PLACES_MAX]);
void debug_files_release(struct debug_files *d);

#endif
