/* SPDX-License-Identifier: MIT */
/*
 * From the types of debugging data to types of D.
 */
#ifndef TRACER_TARGETS_CONVERT_H
#define TRACER_TARGETS_CONVERT_H

#include "dlang/typesrc.h"
#include "symbols/types.h"

/* One object and what was made of its types. Belongs to one run's struct types. */
struct convert_object {
	const struct typesrc *source; /* of the types made; outlives them */
	char *name;
	uint64_t dev, ino;
	struct module_types *types; /* NULL: see why */
	struct err why;
	struct map by_ref; /* ref -> struct type * */
};

void convert_object_free(struct convert_object *o);

/*
 * The D type of ref. Its pointers are userland; structs, unions and enums are
 * left incomplete until convert_complete().
 */
const struct type *convert_type(struct convert_object *o, struct types *ts,
				uint64_t ref);
/* Fills in a type made here; false if its object only declares it. */
bool convert_complete(struct types *ts, struct type *t);
/* The same from the definition that another object has. */
bool convert_complete_from(struct convert_object *o, struct types *ts, uint64_t ref,
			   struct type *t);

#endif
