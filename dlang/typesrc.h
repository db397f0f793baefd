/* SPDX-License-Identifier: MIT */
/*
 * Where the compiler asks for types that the D program did not define: the
 * traced program's own. The tracer fills one in; without it only the D types
 * exist. Everything is lazy: a struct is made as a forward declaration with
 * type.source and source_ref set, and filled in when somebody asks for its size
 * or a member (type_complete() in type.h).
 */
#ifndef DLANG_TYPESRC_H
#define DLANG_TYPESRC_H

#include "dlang/type.h"
#include "vm/base/host/err.h"

/* Which argN holds args[N], and as what. */
struct typesrc_argument {
	const struct type *type;
	uint32_t raw;
	bool is_address;     /* argN is the address of the value in the target */
	bool is_vector;	     /* it is in vector register number raw, not in argN */
	const char *inlined; /* not NULL: the library's inline that is the value */
};

/* A symbol of the target: what is asked for, and what is answered. */
struct typesrc_symbol {
	const char *object, *name; /* object NULL: any */
	uint64_t address;
	const struct type *type; /* of a function the function type; NULL: not known */
	struct err why;		 /* it is not */
};

struct typesrc {
	void *ctx;
	/*
	 * The type called name ("struct x", "size_t") in object (a module name as
	 * in probemod, "a.out", "pid" or NULL: any object of the target); built in
	 * ts with the calls of type.h and owned by it. Pointers in it are userland.
	 * NULL: no such type.
	 */
	const struct type *(*find)(void *ctx, struct types *ts, const char *object,
				   const char *name);
	/* Members, enumerators and size of a type made by find(); false: none known. */
	bool (*complete)(void *ctx, struct types *ts, struct type *t);
	/*
	 * Finds the variable or function. On failure e has D_IDENT_UNDEF or
	 * D_SYM_NOTYPES and the whole text.
	 */
	int (*symbol)(void *ctx, struct types *ts, struct typesrc_symbol *s,
		      struct err *e);
	/*
	 * args[n] of the probes that the clause under compilation is enabled on
	 * (dlang_env.probe() was called for its specifiers before). On failure e has
	 * D_ARGS_IDX, D_ARGS_MULTI or D_ARGS_TYPE and the whole text.
	 */
	int (*argument)(void *ctx, struct types *ts, uint32_t n,
			struct typesrc_argument *out, struct err *e);
};

#endif
