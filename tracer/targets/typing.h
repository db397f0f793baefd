/* SPDX-License-Identifier: MIT */
/*
 * The types of the targets for the compiler: dlang/typesrc.h answered from the
 * debugging data of the objects mapped in them.
 */
#ifndef TRACER_TARGETS_TYPING_H
#define TRACER_TARGETS_TYPING_H

#include "dlang/typesrc.h"
#include "symbols/types.h"

struct convert_object;
struct tracer;
struct typing;

/* Answers struct typesrc's question for args[n] of the clause under compilation. */
typedef int typing_argument(const struct tracer *t, struct types *ts, uint32_t n,
			    struct typesrc_argument *out, struct err *e);

/* Nothing is read before the compiler asks. */
struct typing *typing_new(struct tracer *t, typing_argument *argument);
void typing_free(struct typing *y);
/* Valid as long as y. Asked while the targets live. */
const struct typesrc *typing_source(const struct typing *y);

/*
 * Counts the copies of functions in others (module_types_inlined()). False when nothing
 * is known of any, or, unless in_full, when to know is expensive.
 */
bool typing_inlined(struct typing *y, const struct module *m, const char *name,
		    bool in_full, struct target_inlined *out);

/* What is known of the types of a mapped object; owned by y. */
struct convert_object *typing_object(struct typing *y, const struct module *m);

#endif
