/* SPDX-License-Identifier: MIT */
/*
 * The source of the types and symbols of the traced program. The tracer implements it;
 * without one only the D types exist. Types are completed on demand: find() may return
 * a forward declaration with type.source and source_ref set, and type_complete() calls
 * complete() when a size or a member is first needed.
 */
#ifndef DLANG_TYPESRC_H
#define DLANG_TYPESRC_H

#include "dlang/type.h"
#include "vm/base/host/err.h"
#include "vm/base/where.h"

/* How args[N] is made from the raw arguments of a probe. */
struct typesrc_argument {
	const struct type *type;
	uint32_t raw;	 /* it is in argRAW, but see is_vector */
	bool is_address; /* argN is the address of the value in the target */
	bool is_vector;	 /* it is in vector register number raw */
	bool is_record;	 /* it is the built-in event_record */
	bool is_result;	 /* of a function: where arg1 is a fault, so is this */
	const struct where *where; /* not NULL: it is there instead; without addresses
				    * of the file */
	const char *
		inlined; /* not NULL: an inline of the standard library gives the value */
};

/* A symbol of the target: request and answer. */
struct typesrc_symbol {
	const char *object, *name; /* request; object NULL: any */
	uint64_t address;
	const struct type *type; /* of a function: TYPE_FUNC; NULL: unknown */
	struct err why;		 /* the type is unknown */
};

/*
 * Where a local variable is, at the sites with the place keys from first to last. An
 * address n of the file (WHERE_ADDRESS) is n less the key plus the pc of the site.
 */
struct typesrc_place {
	uint32_t first, last;
	const struct where *where;
};

/* A local variable of the probed functions: where it is at their sites. */
struct typesrc_local {
	const struct type *type;
	/* Elements of uregs[]: where the probe fired, and the key of that. */
	uint32_t pc, place;
	const struct typesrc_place *places; /* by key; none where it is not */
	size_t nplaces;
};

struct typesrc {
	void *ctx;
	/*
	 * Finds the type called name ("struct x", "size_t") in object: a module name
	 * as in probemod, "a.out", "pid", or NULL for any object of the target. The
	 * type is built in ts, which owns it; its pointers are userland. The object may
	 * be followed by "`" and the name of a source file, or be one, and name may
	 * have namespaces: "struct ns::S". NULL if there is none; if it may be several,
	 * e has the whole message, else it stays empty.
	 */
	const struct type *(*find)(void *ctx, struct types *ts, const char *object,
				   const char *name, struct err *e);
	/* Whether two types of find() are one: the same declaration. NULL: they never
	 * are. */
	bool (*same)(void *ctx, const struct type *a, const struct type *b);
	/* Sets members, enumerators and size of a type from find(). False: unknown. */
	bool (*complete)(void *ctx, struct types *ts, struct type *t);
	/*
	 * Finds a variable or function; names are as for find(). On failure e has the tag
	 * D_IDENT_UNDEF, D_IDENT_AMBIG or D_SYM_NOTYPES and the whole message.
	 */
	int (*symbol)(void *ctx, struct types *ts, struct typesrc_symbol *s,
		      struct err *e);
	/*
	 * args[n] of the probes of the clause that is being compiled: those that the
	 * preceding calls of dlang_env.probe() matched. On failure e has the tag
	 * D_ARGS_IDX, D_ARGS_MULTI or D_ARGS_TYPE and the whole message.
	 */
	int (*argument)(void *ctx, struct types *ts, uint32_t n,
			struct typesrc_argument *out, struct err *e);
	/*
	 * Whether a parameter of the function of those probes has the name; *n: its
	 * args[] is args[*n]. For hints. NULL: not known.
	 */
	bool (*parameter)(void *ctx, const char *name, uint32_t *n);
	/*
	 * The local variable of that name at the sites of those probes; it has one
	 * place at least. What out points to lives as long as ts. On failure e has
	 * the tag D_LOCALS_NONE, D_LOCALS_GONE or D_LOCALS_MULTI and the whole
	 * message. NULL: there are none.
	 */
	int (*local)(void *ctx, struct types *ts, const char *name,
		     struct typesrc_local *out, struct err *e);
};

#endif
