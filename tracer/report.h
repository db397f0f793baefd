/* SPDX-License-Identifier: MIT */
/*
 * Listings (-l) and stability reports (-v), on the output of the run.
 */
#ifndef TRACER_REPORT_H
#define TRACER_REPORT_H

#include "tracer/out.h"

/* Once, before the first row. */
void report_list_header(struct out *o);
/* name: provider, module, function, name. */
void report_list_row(struct out *o, uint32_t id, const char *const name[4]);

/* Stability triplets as "Stable/Stable/Common": name, data, class. */
struct report_probe {
	const char *description;
	const char *arguments;
	const char *const *types; /* of args[0] on */
	size_t ntypes;
};

/* What -v says of one probe. */
void report_probe_info(struct out *o, const struct report_probe *p);

struct report_program {
	const char *kind; /* "script" or "description" */
	const char *name;
	const char *description[3]; /* least of all probe descriptions: name, data, class */
	const char *statement[3];
};

/* What -v says of one program, without the newline that ends it when not -e. */
void report_program(struct out *o, const struct report_program *p);

/*
 * The triplet of a probe description: the least, field by field, of those of
 * the fields that are given. attributes: of provider, module, function, name.
 * buf holds the result.
 */
#define REPORT_TRIPLET_MAX 64
const char *report_least(const char *const attributes[4], const char *const name[4],
			 char buf[REPORT_TRIPLET_MAX]);

#endif
