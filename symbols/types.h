/* SPDX-License-Identifier: MIT */
/*
 * The types, functions and variables of a mapped object as its debugging data
 * (DWARF) describes them. Nothing is read before the first question, and then
 * only names; what a name stands for is read when it is asked for.
 *
 * The data is not trusted: chains that do not end are cut, and what makes no
 * sense is left out.
 */
#ifndef SYMBOLS_TYPES_H
#define SYMBOLS_TYPES_H

#include "symbols/symbols.h"

struct module_types;

/*
 * Of the module's file or its separate debug file; the module itself is not
 * needed afterwards. NOENT when it has no debugging data, UNSUP (compressed in a
 * way not known), BADFMT, and the errors of module_load_symbols(). e->text
 * begins with "it" or "its" for the object.
 */
int module_types_open(const struct module *m, struct module_types **out, struct err *e);
void module_types_close(struct module_types *mt);
/* Whether the module's own file has debugging data, of moderate size. */
bool module_has_types(const struct module *m);
/* Whether some of its types are out of reach, in .dwo files. */
bool module_types_is_split(struct module_types *mt);

enum target_kind {
	TARGET_VOID,
	TARGET_INT,
	TARGET_FLOAT,
	TARGET_COMPLEX,
	TARGET_OPAQUE, /* size bytes that D cannot calculate with */
	TARGET_POINTER,
	TARGET_ARRAY,
	TARGET_FUNCTION,
	TARGET_ALIAS,	  /* typedef */
	TARGET_QUALIFIED, /* name is the word: "const" */
	TARGET_STRUCT,
	TARGET_UNION,
	TARGET_ENUM,
};

#define TARGET_DIMS_MAX 8

struct target_type {
	enum target_kind kind;
	const char *name; /* without struct, union, enum; NULL: none */
	uint64_t size;
	bool is_signed;
	bool is_vector;	  /* of an array: of the kind that a register holds */
	bool is_complete; /* of struct, union, enum: not just declared */
	uint64_t base;	  /* of pointer, array, alias, qualified, enum */
	uint32_t ndims;	  /* TARGET_ARRAY: outermost first; 0 of an open one */
	uint64_t dims[TARGET_DIMS_MAX];
};

/*
 * A type by its name without "struct" and so on. kind: STRUCT, UNION, ENUM, or
 * any other for typedefs and base types. 0: none. Definitions come before
 * declarations, names outside of namespaces before those inside.
 */
uint64_t module_types_find(struct module_types *mt, enum target_kind kind,
			   const char *name);
/* What a type is; ref 0 is void. */
void module_types_get(struct module_types *mt, uint64_t ref, struct target_type *out);
/*
 * The one ref of all that mean the same: each file that includes a header
 * describes its types again, and some only declare them.
 */
uint64_t module_types_same(struct module_types *mt, uint64_t ref);

/* Whether values of a class are passed to functions as addresses. */
bool module_types_is_by_reference(struct module_types *mt, uint64_t ref);

/* A member of a struct or union, or an enumerator (name and value). */
struct target_member {
	const char *name; /* "": none */
	uint64_t type;
	uint64_t offset; /* bytes */
	uint64_t bit;	 /* of a bit-field: bits from the start of the struct */
	uint32_t nbits;	 /* 0: no bit-field */
	int64_t value;
};

/* Calls visit() for each, a base class like an anonymous member. */
void module_types_members(struct module_types *mt, uint64_t ref,
			  void (*visit)(void *ctx, const struct target_member *m),
			  void *ctx);

#define TARGET_PARAMS_MAX 32

/* Where the caller puts a parameter. */
enum target_passing {
	PASSED_ARG,	/* number arg: argN of the probe at the entry */
	PASSED_ADDRESS, /* argN is the address of the value */
	PASSED_VECTOR,	/* in the low half of the vector register number arg */
	PASSED_WIDE,	/* in all of a vector register, or in an x87 one */
	PASSED_PIECES,	/* a struct in one or two registers */
	PASSED_STACK,	/* a struct on the stack; arg: its first word */
};

struct target_param {
	const char *name; /* NULL: none */
	uint64_t type;
	enum target_passing passing;
	uint32_t arg;
};

struct target_function {
	uint64_t result; /* 0: void */
	enum target_passing result_passing;
	uint32_t nparams;
	struct target_param params[TARGET_PARAMS_MAX]; /* further ones are left out */
};

/* The function that begins at the address in the file's numbering. */
bool module_types_function(struct module_types *mt, uint64_t value,
			   struct target_function *out);

/* Copies of functions in others, which have no symbol. */
struct target_inlined {
	uint64_t ncopies;
	bool is_least;	      /* there may be more: not all data was looked at */
	size_t nwhere;	      /* functions they are in, of which the first are */
	const char *where[3]; /* these; owned by mt */
	size_t nnames;	      /* functions that have copies; those with most are */
	struct target_copied {
		char *name; /* to free(): module_types_inlined_release() */
		uint64_t ncopies;
	} names[3];
};

/*
 * Counts the copies of the functions that are named as in module_select() or, by a
 * glob, as in module_match(). If there are any, the debugging data of all code is read,
 * at most for about a second, and once only.
 */
void module_types_inlined(struct module_types *mt, const char *text,
			  struct target_inlined *out);
void module_types_inlined_release(struct target_inlined *in);

/*
 * A variable by its name, with its address in the file's numbering. NOENT when
 * there is none; UNSUP, with a reason, when it has no one address.
 */
int module_types_variable(struct module_types *mt, const char *name, uint64_t *type,
			  uint64_t *value, struct err *e);
/*
 * Whether the program exe has taken over the variable that library has at value:
 * then *addr is where it is at run time.
 */
bool module_variable_moved(const struct module *exe, const struct module *library,
			   const char *name, uint64_t value, taddr *addr);

#endif
