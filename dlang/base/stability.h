/* SPDX-License-Identifier: MIT */
/*
 * Stability triplets: name stability, data stability, dependency class. -v prints them.
 */
#ifndef DLANG_BASE_STABILITY_H
#define DLANG_BASE_STABILITY_H

#include "vm/base/base.h"

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

/* The stability of symbols and types of the traced program. */
#define STABILITY_PRIVATE                                                              \
	((struct stability){LEVEL_PRIVATE, LEVEL_PRIVATE, CLASS_UNKNOWN})

/* Parses "Stable/Evolving/Common", case-insensitively; false if it is not a triplet. */
bool stability_parse(const char *text, size_t n, struct stability *out);
/* The three words of a triplet. */
void stability_names(struct stability s, const char *names[3]);

#endif
