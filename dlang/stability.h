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

/* Of a clause's specifiers and of what its statements use. */
struct stability_pair stability_of_clause(const struct ast_clause *c);

#endif
