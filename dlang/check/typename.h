/* SPDX-License-Identifier: MIT */
/*
 * Scoped names, "object`name", and the lookup of types by name.
 */
#ifndef DLANG_CHECK_TYPENAME_H
#define DLANG_CHECK_TYPENAME_H

#include "dlang/base/session.h"

enum scoped_status {
	SCOPED_OK,
	SCOPED_UNKNOWN,	 /* pidN is not the target, or N is no number */
	SCOPED_IMPROPER, /* too many backquotes */
};

struct scoped_name {
	const char *object; /* as in typesrc.h: NULL (any), "pid" or a module */
	const char *last;   /* the name after the last backquote */
	bool is_scoped;
	bool is_pid;	/* "pid`...": pointers of the type are userland */
	struct err why; /* of typename_find(): the name may mean several types */
};

enum scoped_status scoped_split(struct dlang *d, const char *name,
				struct scoped_name *out);
/*
 * The type called name, with the word of its tag ("struct ") or "": one of D or C, else
 * of the target, else of common.def; the scope of a scoped name selects one of them.
 * NULL: none.
 */
const struct type *typename_find(struct dlang *d, const char *word, const char *name,
				 struct scoped_name *scoped);

#endif
