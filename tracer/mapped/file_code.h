/* SPDX-License-Identifier: MIT */
/*
 * Whether code that a program has mapped itself is what its file has: it may have been
 * written to before it became executable. Then nothing is known of it.
 */
#ifndef TRACER_MAPPED_FILE_CODE_H
#define TRACER_MAPPED_FILE_CODE_H

#include "symbols/symbols.h"
#include "tracer/base/core.h"
#include "vm/base/proc/procmem_window.h"

/* The file of one module. A zeroed one is empty. */
struct file_code {
	const struct module *module;
	struct module_text *text; /* NULL: it cannot be read */
	/* What it has at a value: sites follow each other. */
	uint64_t value;
	size_t nbytes;
	uint8_t bytes[4096];
	bool is_reported;
};

/* A place where a site is to be. */
struct file_code_place {
	struct target *target;
	const struct module *module;
	const char *function;
	taddr addr, end; /* end: of the function */
};

/*
 * False, and once for a module a notice: the memory has other code at the place than the
 * file. True if that is not known, for objects of the loader, and for a place that has a
 * site already.
 */
bool file_code_is_there(struct file_code *c, const struct tracer *t,
			struct procmem_window *memory,
			const struct file_code_place *place);
void file_code_release(struct file_code *c);

#endif
