/* SPDX-License-Identifier: MIT */
/*
 * Stability triplets of d-language 18: what -v prints for a program.
 */
#ifndef DLANG_STABILITY_H
#define DLANG_STABILITY_H

#include "dlang/ast.h"

/* Weakest first, so that the minimum is the smaller number. */
enum stability_level {
	LEVEL_INTERNAL,
	LEVEL_PRIVATE,
	LEVEL_OBSOLETE,
	LEVEL_EXTERNAL,
	LEVEL_UNSTABLE,
	LEVEL_EVOLVING,
	LEVEL_STABLE,
	LEVEL_STANDARD,
};

enum stability_class {
	CLASS_UNKNOWN,
	CLASS_CPU,
	CLASS_PLATFORM,
	CLASS_GROUP,
	CLASS_ISA,
	CLASS_COMMON,
};

struct stability {
	enum stability_level name, data;
	enum stability_class class;
};

/* Of one clause. */
struct stability_pair {
	struct stability description, statement;
};

/* Of what belongs to the traced program: its symbols and their types. */
#define STABILITY_PRIVATE                                                              \
	((struct stability){LEVEL_PRIVATE, LEVEL_PRIVATE, CLASS_UNKNOWN})

struct dlang;
struct ident;
struct stability_fields; /* of a provider */

/* "Stable/Evolving/Common", whatever the case; false if it is not a triplet. */
bool stability_parse(const char *text, size_t n, struct stability *out);

/*
 * The present clause uses something that is as stable as s: D_ATTR_MIN when that
 * is below what the option amin asks for. Between begin and end what is used is
 * known by the name s alone, as what stands behind a name of known stability.
 */
int stability_use(struct dlang *d, const struct ast_pos *pos, const char *name,
		  struct stability s);
int stability_use_ident(struct dlang *d, const struct ast_pos *pos,
			const struct ident *id);
void stability_hide_begin(struct dlang *d);
void stability_hide_end(struct dlang *d);

/* #pragma D attributes on a field of a provider ("provider" ... "args"): INVAL
 * for another word. */
int stability_set_provider(struct dlang *d, const char *provider, const char *field,
			   struct stability s);

/* Before a clause is checked, and of its specifiers and what was used since. */
void stability_begin_clause(struct dlang *d);
struct stability_pair stability_of_clause(const struct dlang *d,
					  const struct ast_clause *c);

#endif
