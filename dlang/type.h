/* SPDX-License-Identifier: MIT */
/*
 * D types. A struct types owns all types of one run of the command. Two equal derived
 * types (pointers, arrays) are the same object, so most comparisons compare addresses.
 * Types of the traced program come from a struct typesrc (typesrc.h), which builds them
 * with the functions below.
 */
#ifndef DLANG_TYPE_H
#define DLANG_TYPE_H

#include "vm/base/base.h"
#include "vm/base/host/arena.h"
#include "vm/base/host/map.h"
#include "vm/base/host/strbuf.h"

/* Limit on structs within structs, for code that visits all members. */
#define TYPE_NESTING_MAX 32

enum type_kind {
	TYPE_VOID,
	TYPE_INT,
	TYPE_FLOAT,
	TYPE_POINTER,
	TYPE_ARRAY,  /* of count elements */
	TYPE_FUNC,   /* of all functions: there is one such type */
	TYPE_STRING, /* D string: at most strsize bytes, by address */
	TYPE_ALIAS,  /* typedef, or base with a qualifier */
	TYPE_DYN,    /* of aggregations and translated pointers: no value */
	TYPE_STRUCT,
	TYPE_UNION,
	TYPE_ENUM,    /* values are int; type_is_int() is true */
	TYPE_STACK,   /* stack(), ustack(): count frames, SHOW_ of program.h */
	TYPE_SYMADDR, /* usym() and the like: 16 bytes, SHOW_ of program.h */
};

/* A member of a struct or union, or (type NULL) an enumerator. */
struct type_member {
	const char *
		name; /* "": an anonymous struct or union, or a bit-field without name */
	const struct type *type;
	uint64_t offset; /* bytes from the start; of a bit-field: of its storage unit */
	uint8_t bit, nbits; /* bit-field: from bit (least significant = 0) of the unit
			      * of type's size; nbits 0: no bit-field */
	int64_t value;	    /* of an enumerator, or the discriminant of a variant */
	bool is_rest;	    /* a variant that is there when no other one is */
	struct type_member *next;
};

/*
 * The variants of an enum of Rust: each a member that is there if the discriminant, an
 * integer of the struct, is its value.
 */
struct type_variants {
	uint64_t offset; /* of the discriminant */
	uint32_t size;	 /* its bytes; 0: there is none, and one variant at most */
	struct type_member *first, *last;
};

#define TYPE_ARGUMENTS 2

struct type {
	enum type_kind kind;
	const char *name; /* as messages print it: "unsigned int", "char *" */
	uint32_t order;	  /* of definition: decides between types of equal rank */
	uint32_t size;	  /* bytes; use type_size(): strings, incomplete types */
	bool is_signed;	  /* TYPE_INT, TYPE_ENUM, an alias with is_wide */
	bool is_user;	  /* TYPE_POINTER to target memory (userland) */
	uint32_t count;	  /* TYPE_ARRAY */
	const struct type *base; /* pointee, element, the type that an alias names;
				  * int for an enum */
	struct type_member *members, *last_member; /* struct, union, enum */
	struct type_variants *variants;		   /* TYPE_STRUCT; NULL: it has none */
	/* TYPE_STRUCT of a template or generic type: its first parameters that are types;
	 * or NULL */
	const struct type *arguments[TYPE_ARGUMENTS];
	bool is_complete; /* of these; false: forward declaration */
	uint32_t align; /* of a struct or union, if it was laid out or its source gives
			 * it; 0: not known */
	const struct typesrc
		*source;     /* completes the type when first needed; or NULL */
	uint64_t source_ref; /* for the source: identifies the type */
	bool is_asked;	     /* the source has been: a damaged file may lead back */
	uint8_t show;	     /* enum program_show of TYPE_STACK, TYPE_SYMADDR */
	bool is_vector;	     /* TYPE_ALIAS of an array that a vector register holds */
	bool is_wide;	     /* TYPE_ALIAS: an integer of 16 bytes, base is its bytes */
	struct type *derived; /* chain of the types derived from this one */
	struct type *next;    /* in base->derived */
};

/* All types of a run, and shortcuts to intrinsic ones. */
struct types {
	struct arena *arena; /* borrowed */
	struct strmap names; /* name -> struct type * */
	uint32_t next_order;
	uint32_t strsize;
	const struct type *t_void, *t_int, *t_uint, *t_long, *t_ulong, *t_longlong,
		*t_ulonglong, *t_char, *t_string, *t_int64, *t_size, *t_ptrdiff,
		*t_func, *t_dyn;
	const struct type *timespec; /* of type_common(); NULL until needed */
};

void types_init(struct types *ts, struct arena *arena, uint32_t strsize);
void types_release(struct types *ts);

/*
 * The type of that name: intrinsic ("unsigned long long"), built into D, a typedef or
 * a tag ("struct x"). NULL if there is none.
 */
const struct type *type_find(const struct types *ts, const char *name);
/* One of the usual type names of the C library, common.def. NULL: none. */
const struct type *type_common(struct types *ts, const char *name);
/* Parses n bytes of text: [const] NAME [*...]. NULL if the name is unknown. */
const struct type *type_parse(struct types *ts, const char *text, size_t n);
/* typedef base name. NULL if the name is in use. */
const struct type *type_define(struct types *ts, const char *name,
			       const struct type *base);

/*
 * Creates an incomplete struct, union or enum. name is as messages print it ("struct x",
 * "struct <anonymous>"). is_named: type_find() finds it from now on.
 */
struct type *type_tagged(struct types *ts, enum type_kind kind, const char *name,
			 bool is_named);
/* Appends a copy of m and of its name. An enumerator has only name and value. */
void type_add_member(struct types *ts, struct type *t, const struct type_member *m);
/* Appends a copy of a variant and of its name; t->variants is set. */
void type_add_variant(struct types *ts, struct type *t, const struct type_member *m);
/*
 * Lays out the members of a struct or union by the C ABI: sets their offset and bit, and
 * the size of t. Marks t complete.
 */
void type_lay_out(struct types *ts, struct type *t);
/*
 * Finds a member of t, also in anonymous members; out->offset is from the start of t.
 * False if there is none or t stays incomplete.
 */
bool type_member(struct types *ts, const struct type *t, const char *name,
		 struct type_member *out);
bool type_is_struct_or_union(const struct type *t); /* struct or union */
bool type_is_enum(const struct type *t);
/*
 * Makes sure that t (a struct, union or enum) has its members and size: asks its source
 * if needed. False: only a forward declaration is known.
 */
bool type_complete(struct types *ts, const struct type *t);

/* The results of stack(), ustack(), jstack() and of sym(), usym() and the like. */
const struct type *type_stack(struct types *ts, uint8_t show, uint32_t frames);
const struct type *type_symaddr(struct types *ts, uint8_t show);
bool type_is_location(const struct type *t); /* TYPE_STACK or TYPE_SYMADDR */
/* Whether both are stacks, or both symbols of the same space. */
bool type_is_like_location(const struct type *a, const struct type *b);

const struct type *type_pointer(struct types *ts, const struct type *base);
const struct type *type_array(struct types *ts, const struct type *elem,
			      uint32_t count);
/* A typedef of the target: another name for base, unknown to type_find(). */
const struct type *type_alias(struct types *ts, const char *name,
			      const struct type *base);
/* The same array, as one that a vector register holds. */
const struct type *type_vector(struct types *ts, const struct type *array);
/* An integer of 16 bytes, which D does not calculate with. */
const struct type *type_wide(struct types *ts, const char *name, bool is_signed);
/* An alias of base called "const T", "volatile T" or "restrict T". */
const struct type *type_qualified(struct types *ts, const char *word,
				  const struct type *base);
/* The same type whose pointers point to memory of the target. */
const struct type *type_userland(struct types *ts, const struct type *t);

/* Without typedefs and qualifiers. */
const struct type *type_resolve(const struct type *t);
/* In bytes; 0 for void, functions and types that stay incomplete. */
uint64_t type_size(const struct types *ts, const struct type *t);

bool type_is_int(const struct type *t);
bool type_is_float(const struct type *t);
bool type_is_pointer(const struct type *t); /* or an array, which decays to one */
bool type_is_string(const struct type *t);  /* the D string */
bool type_is_scalar(const struct type *t);  /* integer or pointer */
bool type_is_signed(const struct type *t);
bool type_is_void(const struct type *t);
/* Whether a register holds the address of such a value instead of the value. */
bool type_is_by_address(const struct type *t);
bool type_is_userland(const struct type *t);
/* Whether it is char *, char [] or string. */
bool type_is_strcompat(const struct type *t);
/* Whether it is an array of a 4-byte integer, such as wchar_t. */
bool type_is_wide_text(const struct type *t);
/* The type that a pointer points to, of array elements, char for string; else NULL. */
const struct type *type_pointee(const struct types *ts, const struct type *t);
bool type_is_same(const struct type *a, const struct type *b);
/* The type of an arithmetic operation on two integers: the one of higher rank. */
const struct type *type_promote(const struct type *a, const struct type *b);
/* The type of an integer literal: the first of the C99 list that holds v, or NULL. */
const struct type *type_of_literal(const struct types *ts, uint64_t v, bool is_decimal,
				   bool has_u, unsigned longs);

#endif
