/* SPDX-License-Identifier: MIT */
/*
 * D types. A struct types owns every type of one run of the command; two
 * equal derived types (pointers, arrays) are the same object, so most
 * comparisons are of addresses. Types of the traced program will come in
 * through typesrc.h.
 */
#ifndef DLANG_TYPE_H
#define DLANG_TYPE_H

#include "vm/base/base.h"
#include "vm/base/host/arena.h"
#include "vm/base/host/map.h"
#include "vm/base/host/strbuf.h"

enum type_kind {
	TYPE_VOID,
	TYPE_INT,
	TYPE_FLOAT,
	TYPE_POINTER,
	TYPE_ARRAY,  /* of count elements */
	TYPE_FUNC,   /* every function type is this one */
	TYPE_STRING, /* D string: strsize bytes by reference */
	TYPE_ALIAS,  /* typedef, or base with a qualifier */
	TYPE_DYN,    /* result of an aggregation: no value */
};

struct type {
	enum type_kind kind;
	const char *name; /* as messages print it: "unsigned int", "char *" */
	uint32_t order;	  /* of definition; breaks ties of equal rank */
	uint32_t size;	  /* bytes; of a string the strsize in force: type_size() */
	bool is_signed;	  /* TYPE_INT */
	bool is_user;	  /* TYPE_POINTER to target memory (userland) */
	uint32_t count;	  /* TYPE_ARRAY */
	const struct type *base; /* pointee, element, or what an alias stands for */
	struct type *derived;	 /* chain of the types derived from this one */
	struct type *next;	 /* in base->derived */
};

/* Intrinsic types that the compiler itself needs. */
struct types {
	struct arena *arena; /* borrowed */
	struct strmap names; /* name -> struct type * */
	uint32_t next_order;
	uint32_t strsize;
	const struct type *t_void, *t_int, *t_uint, *t_long, *t_ulong, *t_longlong,
		*t_ulonglong, *t_char, *t_string, *t_int64, *t_size, *t_ptrdiff,
		*t_func, *t_dyn;
};

void types_init(struct types *ts, struct arena *arena, uint32_t strsize);
void types_release(struct types *ts);

/*
 * A type by its name: an intrinsic one in its plain spelling ("unsigned
 * long long"), a D built-in name or a typedef. NULL if there is none.
 */
const struct type *type_find(const struct types *ts, const char *name);
/* The type of the n bytes of text, which is a name, perhaps with "const " and stars. */
const struct type *type_parse(struct types *ts, const char *text, size_t n);
/* typedef base name; NULL when the name is taken. */
const struct type *type_define(struct types *ts, const char *name,
			       const struct type *base);

const struct type *type_pointer(struct types *ts, const struct type *base);
const struct type *type_array(struct types *ts, const struct type *elem,
			      uint32_t count);
/* "const T", "volatile T", "restrict T": the same type with another name. */
const struct type *type_qualified(struct types *ts, const char *word,
				  const struct type *base);
/* The same type with its pointers leading into the target's memory. */
const struct type *type_userland(struct types *ts, const struct type *t);

/* Without typedefs and qualifiers. */
const struct type *type_resolve(const struct type *t);
/* sizeof; 0 for void and functions. */
uint64_t type_size(const struct types *ts, const struct type *t);

bool type_is_int(const struct type *t);
bool type_is_float(const struct type *t);
bool type_is_arith(const struct type *t);
bool type_is_pointer(const struct type *t); /* also an array: it decays */
bool type_is_string(const struct type *t);  /* the D string */
bool type_is_scalar(const struct type *t);  /* integer or pointer */
bool type_is_signed(const struct type *t);
bool type_is_void(const struct type *t);
bool type_is_userland(const struct type *t);
/* char *, char [] or string. */
bool type_is_strcompat(const struct type *t);
/* What a pointer or array leads to (char of a string), else NULL. */
const struct type *type_pointee(const struct types *ts, const struct type *t);
bool type_is_same(const struct type *a, const struct type *b);
/* Of an arithmetic operation on two integers: the operand of higher rank. */
const struct type *type_promote(const struct type *a, const struct type *b);
/* Of an integer literal: first of the C99 list that holds v; NULL: none does. */
const struct type *type_of_literal(const struct types *ts, uint64_t v, bool is_decimal,
				   bool has_u, unsigned longs);

#endif
