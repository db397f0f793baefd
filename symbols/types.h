/* SPDX-License-Identifier: MIT */
/*
 * The types, functions and variables of a mapped object as its debug data (DWARF)
 * describes them. The first question makes an index of names; the rest of an entry is
 * read when it is asked for.
 *
 * The data is not trusted: endless chains are cut, invalid entries are left out.
 *
 * A type is named by a ref, a number that is valid for one struct module_types; 0 is
 * void. Names belong to struct module_types and live until it is closed.
 */
#ifndef SYMBOLS_TYPES_H
#define SYMBOLS_TYPES_H

#include "symbols/symbols.h"
#include "vm/base/where.h"

struct module_types;
struct strbuf;

/*
 * Opens the debug data of the module's file or of its separate debug file, which may
 * be fetched from a server (elf/debuginfod.h). The module
 * is not needed afterwards. NOENT if there is no debug data, UNSUP (compressed in an
 * unknown way), BADFMT, and the errors of module_load_symbols(). e->text has "it" for
 * the object, which the caller names before it. The caller closes *out.
 */
int module_types_open(const struct module *m, struct module_types **out, struct err *e);
void module_types_close(struct module_types *mt);
/* How long debuginfod took to fetch it from a server; 0: it did not. */
uint64_t module_types_fetch_ns(const struct module_types *mt);
/* Whether the module's own file has debug data that is quickly read (up to 64 MiB). */
bool module_has_types(const struct module *m);
/*
 * Why some of its entries, which are in .dwo files (split DWARF), are not known; owned by
 * mt. NULL: all are known.
 */
const char *module_types_split_why(const struct module_types *mt);

enum target_kind {
	TARGET_VOID,
	TARGET_INT,
	TARGET_FLOAT,
	TARGET_COMPLEX,
	TARGET_OPAQUE, /* size bytes that D has no arithmetic for */
	TARGET_POINTER,
	TARGET_ARRAY,
	TARGET_FUNCTION,
	TARGET_ALIAS,	  /* typedef */
	TARGET_QUALIFIED, /* name is the qualifier: "const" */
	TARGET_STRUCT,
	TARGET_UNION,
	TARGET_ENUM,
};

#define TARGET_DIMS_MAX	 8
#define TARGET_ARGUMENTS 2

struct target_type {
	enum target_kind kind;
	const char *name; /* without the word struct, union or enum; NULL: none */
	uint64_t size;
	uint64_t align; /* if debug data gives it: more than the type needs by itself */
	bool is_signed;
	bool is_vector;	   /* of an array: a vector type, which a register holds */
	bool is_complete;  /* of struct, union, enum: defined, not only declared */
	bool has_variants; /* of a struct: an enum of Rust with values */
	uint64_t base;	   /* ref: of pointer, array, alias, qualified, enum */
	bool is_wide;	   /* of TARGET_OPAQUE: an integer of 16 bytes */
	/* Refs: of a struct, its first template parameters that are types; 0: none. */
	uint64_t arguments[TARGET_ARGUMENTS];
	uint32_t ndims;			/* of TARGET_ARRAY */
	uint64_t dims[TARGET_DIMS_MAX]; /* outermost first; 0: open, as in [] */
};

/*
 * What a name means. A type is its declaration: in C++ types with one qualified name are
 * one type, in other languages each file may have its own, and they count as one only if
 * every part of them is the same.
 */
struct target_search {
	enum target_kind kind; /* of a type: STRUCT, UNION, ENUM, or any other for
				* typedefs and base types */
	const char *name;      /* "S", "ns::S", "Outer::S" */
	const char *file;      /* of its source, the end of the path; NULL: any */
	bool is_exact;	       /* the name has all namespaces, from the outermost on */
	/*
	 * Functions: what their own source files declare comes first. NULL: none. It is
	 * called only if there is a choice; the array stays valid during the search.
	 */
	const uint64_t *(*functions)(void *ctx, size_t *n);
	/* Called for some of those that the name may mean: "net::S", "a.c`S". Or NULL. */
	void (*candidate)(void *ctx, const char *text);
	void *ctx; /* of both */
};
/*
 * The type with this name. Definitions come before declarations, names outside
 * namespaces before those inside. NOENT; AMBIGUOUS if it may mean several types.
 */
int module_types_find(struct module_types *mt, const struct target_search *s,
		      uint64_t *ref);
/* What a type is; TARGET_OPAQUE if the ref names no entry. */
void module_types_get(struct module_types *mt, uint64_t ref, struct target_type *out);
/*
 * The definition of a type that its own file only declares, if only one is known; else
 * the same ref.
 */
uint64_t module_types_definition(struct module_types *mt, uint64_t ref);
/* Whether both refs are one type, as for struct target_search. */
bool module_types_is_same(struct module_types *mt, uint64_t a, uint64_t b);
/*
 * Adds the name of the type with those of the namespaces and types around it. False: its
 * own file only has it, or it has no name.
 */
bool module_types_path(struct module_types *mt, uint64_t ref, struct strbuf *out);

/* Whether values of a C++ class are passed to functions by address. */
bool module_types_is_by_reference(struct module_types *mt, uint64_t ref);

/* A member of a struct or union, or an enumerator (name and value). */
struct target_member {
	const char *name; /* "": none */
	uint64_t type;	  /* ref */
	uint64_t offset;  /* bytes */
	uint64_t bit;	  /* of a bit-field: bits from the start of the struct */
	uint32_t nbits;	  /* 0: no bit-field */
	int64_t value;
};

/* Calls visit() for each member, in order; a base class is an anonymous member. */
void module_types_members(struct module_types *mt, uint64_t ref,
			  void (*visit)(void *ctx, const struct target_member *m),
			  void *ctx);

/* One of the structs that an enum of Rust may be. */
struct target_variant {
	struct target_member member; /* its name, type and offset */
	bool has_value; /* the discriminant is member.value; else any that no other has */
};
/*
 * Calls visit() for each variant of an enum of Rust, in order. *discriminant is the
 * member that tells which is there, its type 0 if there is only one. False, and visit()
 * was not called: the type has no variants, or they are described in another way.
 */
bool module_types_variants(struct module_types *mt, uint64_t ref,
			   struct target_member *discriminant,
			   void (*visit)(void *ctx, const struct target_variant *v),
			   void *ctx);

#define TARGET_PARAMS_MAX 32

/* How a caller passes a parameter, or a function its result. */
enum target_passing {
	PASSED_ARG,	/* in argN of the entry probe; N is arg */
	PASSED_ADDRESS, /* argN is the address of the value */
	PASSED_VECTOR,	/* in the low 8 bytes of a vector register */
	PASSED_WIDE,	/* in all of a vector register, or in an x87 register */
	PASSED_PIECES,	/* in two registers, or a struct in one */
	PASSED_STACK,	/* on the stack; argN is its first word */
	PASSED_NOT,	/* nothing is passed: it has no bytes */
	PASSED_UNKNOWN, /* the calling convention is not known */
};

struct target_param {
	const char *name; /* NULL: none */
	uint64_t type;	  /* ref */
	enum target_passing passing;
	uint32_t arg;	 /* the first general register, or word of the stack */
	uint32_t vector; /* the first vector register */
	/* Of PASSED_PIECES: 8 bytes each, the last one may be less. Those of Go are all
	 * in general registers; 0: they are not known. */
	uint8_t npieces;
	bool is_vector[2], is_padding[2]; /* each of them */
	uint64_t size;
};

struct target_function {
	struct target_param result; /* without a name; of several results the first */
	uint32_t nresults;	    /* as the debug data lists them: Go; otherwise 0 */
	uint32_t nparams;
	struct target_param params[TARGET_PARAMS_MAX]; /* further ones are left out */
};

/*
 * The function that begins at value; false if the debug data has none there. How values
 * are passed is set if by is one of Go's conventions; else ask module_types_parameter().
 */
bool module_types_function(struct module_types *mt, uint64_t value,
			   enum regs_convention by, struct target_function *out);

/* The inlined copies of some functions. A copy has no symbol. */
struct target_inlined {
	uint64_t ncopies;
	bool is_least;	      /* there may be more: a limit ended the search */
	size_t nwhere;	      /* functions that contain copies */
	const char *where[3]; /* the first of them; owned by mt */
	size_t nnames;	      /* functions that have copies */
	struct target_copied {
		char *name; /* owned by the struct */
		uint64_t ncopies;
	} names[3]; /* those with most copies */
};

/*
 * Counts the inlined copies of the functions that text selects: by the rules of
 * module_match() if it is a glob, else of module_select(). If debug data describes such
 * functions, the entries of all code are read once, for at most about a second. The
 * caller releases *out.
 */
void module_types_inlined(struct module_types *mt, const char *text,
			  struct target_inlined *out);
void module_types_inlined_release(struct target_inlined *in);

/* An address in a function, and what may be asked there. */
struct target_spot {
	uint64_t value;
	const char *file; /* of a statement that begins there: the end of a path */
	uint64_t line;	  /* and its line; 0: any statement */
	const char
		*inlined; /* the name of an inlined copy that begins there, or NULL */
	enum regs_convention by;	    /* of the function */
	const struct module_cfi_rows *rows; /* of the module */
	uint64_t base;	 /* the value that their pcs are counted from */
	uint64_t lo, hi; /* the part of the function that holds it; 0, 0: not known */
	bool is_entry;	 /* the first instruction of the function */
	bool is_edge;	 /* that, or one by which control leaves */
	bool is_local; /* no other file calls the function: compilers may change how */
	bool is_copy;  /* that the compiler has made: its name ends in .constprop.0 */
};

/*
 * Where parameter n is at the first instruction of a function, the spot, of the native
 * convention. Debug data says it there, or it follows from the ABI if all shows that the
 * function keeps to it. If neither does, *out is gone, and says why.
 */
void module_types_parameter(struct module_types *mt, const struct target_spot *spot,
			    uint32_t n, struct where *out);
/* Likewise where its result is when it returns; the spot is its first instruction. */
void module_types_result(struct module_types *mt, const struct target_spot *spot,
			 struct where *out);

/* A parameter or local variable of a function, or of an inlined copy. */
struct target_local {
	const char *name;
	uint64_t type; /* ref */
	struct where where;
};

/*
 * The variable that has the name in the innermost scope that holds the spot. Where
 * inlined copies begin, line and inlined tell which of the functions is meant. At a
 * function's first instruction parameters are where its caller has put them.
 */
bool module_types_local(struct module_types *mt, const struct target_spot *spot,
			const char *name, struct target_local *out);
/* Calls visit() for each variable of those scopes, inner ones first. */
void module_types_locals(struct module_types *mt, const struct target_spot *spot,
			 void (*visit)(void *ctx, const struct target_local *l),
			 void *ctx);

/*
 * Calls visit() for the place where each inlined copy of the functions that text selects
 * (likewise; "" is "*") is entered, a value; name is the function as the linker would
 * name it, valid during the call. False: there may be more, a limit ended the search.
 */
bool module_types_copies(struct module_types *mt, const char *text,
			 void (*visit)(void *ctx, uint64_t value, const char *name),
			 void *ctx);

/* Where a statement of the source begins. */
struct target_line {
	uint64_t value;
	const char *file; /* the end of its path: as many folders as asked for */
	uint64_t line;
};
struct target_lines {
	struct target_line *data; /* vec, by value, line, file */
	size_t len, cap;
	bool is_known_file; /* a file has the name, whatever its lines */
	bool is_cut;	    /* there may be more: a limit ended the search */
};
/*
 * The places of the lines that a glob selects: FILE@LINE, for the last folders and the
 * name of a file, as many as FILE has. The caller releases *out with vec_release().
 */
void module_types_lines(struct module_types *mt, const char *glob,
			struct target_lines *out);

#define TARGET_PLACES_MAX 16

/* A line of the source, and the function that it is in. */
struct target_place {
	const char
		*function; /* an inlined one, as the linker would name it; else NULL */
	const char *file;  /* NULL: not known */
	uint64_t line;
};
/*
 * The lines of the code at value: the innermost first, then where each inlined copy was
 * called, the last of them in the function itself. Returns how many; 0: not known.
 */
size_t module_types_places(struct module_types *mt, uint64_t value,
			   struct target_place out[TARGET_PLACES_MAX]);

/*
 * The type (a ref) and the value of a global variable; the kind in s is not used. NOENT
 * if there is none; AMBIGUOUS; UNSUP, with the reason, if it has no fixed address.
 */
int module_types_variable(struct module_types *mt, const struct target_search *s,
			  uint64_t *type, uint64_t *value, struct err *e);
/*
 * Whether exe has a copy relocation for the variable that library has at value: then
 * the whole process uses the copy in exe, and *addr is its run-time address.
 */
bool module_variable_moved(const struct module *exe, const struct module *library,
			   const char *name, uint64_t value, taddr *addr);

#endif
