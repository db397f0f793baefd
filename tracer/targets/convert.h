/* SPDX-License-Identifier: MIT */
/*
 * Makes D types from the types in debug data.
 */
#ifndef TRACER_TARGETS_CONVERT_H
#define TRACER_TARGETS_CONVERT_H

#include "dlang/typesrc.h"
#include "symbols/types.h"

/* One object and the D types made from its debug data, all for one struct types. */
struct convert_object {
	const struct typesrc *source; /* of the types made; outlives them */
	char *name;
	uint64_t dev, ino;
	struct module_types *types; /* NULL: see why */
	struct err why;
	struct map by_ref;	     /* ref -> struct type * */
	struct module_cfi_rows rows; /* convert_rows() */
	bool has_rows;
};

void convert_object_free(struct convert_object *o);
/* The CFI rows of its module, read once; owned by o. */
const struct module_cfi_rows *convert_rows(struct convert_object *o,
					   const struct module *m);
/*
 * A value of the module, in the function sym, or in none that is known (NULL), as the
 * debug data is asked about it. The caller sets what the probe there adds.
 */
void convert_spot(struct convert_object *o, const struct module *m,
		  const struct symbol *sym, uint64_t value, struct target_spot *out);

/*
 * The D type of the type at ref. Pointers are userland pointers; structs, unions and
 * enums stay incomplete until convert_complete().
 */
const struct type *convert_type(struct convert_object *o, struct types *ts,
				uint64_t ref);
/* Completes a type made here; false if its object only declares it. */
bool convert_complete(struct types *ts, struct type *t);
/* The same, from the definition at ref of another object. */
bool convert_complete_from(struct convert_object *o, struct types *ts, uint64_t ref,
			   struct type *t);
/* Whether two types made here are one: of one object, and the same declaration. */
bool convert_is_same(const struct type *a, const struct type *b);
/* Adds the qualified name of a type made here. False: other files cannot define it. */
bool convert_path(const struct type *t, struct strbuf *out);

#endif
