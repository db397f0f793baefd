/* SPDX-License-Identifier: MIT */
/*
 * Names with a scope, "object`name", and the lookup of types by name.
 */
#ifndef DLANG_CHECK_TYPENAME_H
#define DLANG_CHECK_TYPENAME_H

#include "dlang/base/session.h"

enum scoped_status {
	SCOPED_OK,
	SCOPED_UNKNOWN,	 /* pidN is not the target, or no number */
	SCOPED_IMPROPER, /* more backquotes than parts that there can be */
};

struct scoped_name {
	const char *object; /* as typesrc.h has it: NULL any, "pid", a module */
	const char *last;   /* behind the last backquote */
	bool is_scoped;
	bool is_pid; /* "pid`...": its pointers lead into the target */
};

enum scoped_status scoped_split(struct dlang *d, const char *name,
				struct scoped_name *out);
/*
 * The type called name behind the words of a tag ("struct " or ""): of the D
 * program, of C, then of the target, unless the name says where. NULL: none.
 */
const struct type *typename_find(struct dlang *d, const char *word, const char *name,
				 struct scoped_name *scoped);

#endif
