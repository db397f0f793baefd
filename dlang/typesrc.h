/* SPDX-License-Identifier: MIT */
/*
 * Where the compiler asks for types that the D program did not define: the
 * traced program's own. The tracer fills one in; without it only the D types
 * exist.
 */
#ifndef DLANG_TYPESRC_H
#define DLANG_TYPESRC_H

#include "dlang/type.h"
#include "vm/base/host/err.h"

struct typesrc {
	void *ctx;
	/*
	 * The type called name ("struct x", "size_t") in object, or in any
	 * when object is NULL; built in ts with the calls of type.h and owned
	 * by it. NULL: no such type.
	 */
	const struct type *(*find)(void *ctx, struct types *ts, const char *object,
				   const char *name);
	/* Type and address of the variable called name; on failure e says why. */
	int (*symbol)(void *ctx, struct types *ts, const char *object, const char *name,
		      const struct type **type, uint64_t *address, struct err *e);
};

#endif
