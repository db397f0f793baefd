/* SPDX-License-Identifier: MIT */
/*
 * Names of D: variables, aggregations, built-ins, subroutines, actions and aggregating
 * functions. The programs of a run share one struct scope.
 */
#ifndef DLANG_CHECK_SCOPE_H
#define DLANG_CHECK_SCOPE_H

#include "dlang/base/ast.h"
#include "dlang/base/stability.h"
#include "dlang/type.h"
#include "vm/base/host/map.h"
#include "vm/program.h"

enum ident_kind {
	IDENT_SCALAR,  /* D variable; number: in the image */
	IDENT_ARRAY,   /* associative array; number: in the image */
	IDENT_AGG,     /* number: in the image */
	IDENT_BUILTIN, /* number: enum builtin */
	IDENT_BUILTIN_ARRAY,
	IDENT_ARGS,
	IDENT_NULL,
	IDENT_ENUMERATOR, /* value */
	IDENT_EXTERN,	  /* symbol of the target; type: as declared */
	IDENT_CONST,	  /* constant.def; value */
	IDENT_INLINE,	  /* def; has_params: the array form */
	IDENT_SUBR,	  /* number: enum subr */
	IDENT_ACTION,	  /* number: enum action_kind */
	IDENT_AGGFUNC,	  /* number: enum agg_func */
	/* Of D, but meaningless in user mode; proto, unless a variable: */
	IDENT_KERNEL_ACTION,
	IDENT_KERNEL_SUBR,
	IDENT_KERNEL_VAR,
};

/* The flags of an action; SUBR_DESTRUCTIVE means the same for a subroutine. */
enum action_flag {
	ACT_DESTRUCTIVE = SUBR_DESTRUCTIVE, /* needs the destructive option */
	ACT_RECORDS = 4,		    /* records data for the consumer */
	ACT_NO_KEYWORD = 8, /* a variable may have its name: DTrace does not know it */
};

struct ident {
	const char *name;
	enum ident_kind kind;
	enum program_scope scope; /* of a D variable */
	uint32_t number;
	uint32_t contexts;	 /* enum exec_context bits: where it is available */
	const struct type *type; /* of the value or result; NULL: an action */
	/* Types of keys (after the first use), of parameters. NULL: any type. */
	const struct type **params;
	uint32_t nparams;
	bool has_params;
	const char *proto;    /* IDENT_KERNEL_: see kernel.c */
	uint32_t least, most; /* number of arguments */
	uint32_t flags;	      /* enum subr_flag of a subroutine, enum action_flag */
	int64_t value; /* IDENT_ENUMERATOR, IDENT_CONST; IDENT_AGG: limit of lquantize */
	/* Aggregations: */
	bool has_func, has_param;
	enum agg_func func;
	uint64_t param;		/* lquantize, as in the image */
	struct ident *primary;	/* of a variant; NULL: not one */
	struct ident *variants; /* of the primary; then the next of them */
	struct ast_pos where;	/* first use */
	uint32_t storage;	/* SCOPE_THIS: number of the clause-local */
	/* An integer variable that nobody declared: keeps 64 bits, whatever its type. */
	bool is_wide;
	const struct ast_inline *def; /* IDENT_INLINE */
	struct stability attr; /* if has_attr; else the stability of a built-in */
	bool has_attr;
	uint32_t since; /* version of the language that introduced it; 0: all */
	uint32_t unit;	/* program or library that defines it; 0: built in */
};

/* #pragma D attributes or binding of a name that was not defined then. */
struct ident_pragma {
	const char *name;
	struct ast_pos pos;
	struct stability attr;
	bool has_attr;	  /* else since, unless is_provider */
	bool is_provider; /* name is a provider; stability.c has its fields */
	uint32_t since;
	bool is_used;
	struct ident_pragma *next;
};

/*
 * An argument of an action that is an aggregation without a definition yet. It is
 * checked at the end of the program.
 */
struct agg_use {
	struct ast_expr *call; /* the action */
	const struct ast_expr *arg;
	const char *tag; /* of the error if it is never defined */
	struct agg_use *next;
};

struct scope {
	struct types *types;
	const uint32_t *version;      /* of the language in force; 0: the latest */
	uint32_t unit;		      /* being compiled */
	bool has_constants;	      /* scope_find() finds those of constant.def */
	struct ident_pragma *pragmas; /* of that unit, newest first */
	struct agg_use *agg_uses;     /* of that unit, newest first */
	struct strmap global, self, this, agg;
	struct strmap called; /* functions with ACT_NO_KEYWORD */
	struct {
		struct ident **data;
		size_t len, cap;
	} vars, aggs; /* by number */
	uint32_t nlocals;
};

/* version points to the option; borrowed. */
void scope_init(struct scope *s, struct types *types, const uint32_t *version);
void scope_release(struct scope *s);

struct ident *scope_find(const struct scope *s, enum ast_scope where, const char *name);
/* A name that is called. */
struct ident *scope_find_called(const struct scope *s, const char *name);
struct ident *scope_find_agg(const struct scope *s, const char *name);
/*
 * The part of an aggregation with keys of these types, as many as it has: itself or a
 * variant, which is added if there is none. Integers of one size are one type.
 */
struct ident *scope_agg_variant(struct scope *s, struct ident *agg,
				const struct type *const *keys);

/* The number of names in a scope, built-in ones included. */
size_t scope_count(const struct scope *s, enum ast_scope where);

/* These add a name that is not in the scope. kind: IDENT_SCALAR or IDENT_ARRAY. */
struct ident *scope_add_var(struct scope *s, enum ast_scope where, const char *name,
			    enum ident_kind kind, const struct type *type);
struct ident *scope_add_inline(struct scope *s, const char *name,
			       const struct type *type);
/* An enumerator of the enum type; a symbol of the target with its declared type. */
struct ident *scope_add_enumerator(struct scope *s, const char *name,
				   const struct type *type, int64_t value);
struct ident *scope_add_extern(struct scope *s, const char *name,
			       const struct type *type);
struct ident *scope_add_agg(struct scope *s, const char *name, struct ast_pos where);

/* For messages: "scalar", "associative array", "aggregating function" ... */
const char *ident_kind_name(const struct ident *id);
bool ident_is_var(const struct ident *id);
bool ident_is_func(const struct ident *id); /* anything that can be called */
bool ident_is_kernel_func(const struct ident *id);
/* An action: its call has no value. Aggregating functions are none. */
bool ident_is_action(const struct ident *id);

#endif
