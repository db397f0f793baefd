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

/* Structs in structs, when somebody walks through all members. */
#define TYPE_NESTING_MAX 32

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
	int64_t value;	    /* of an enumerator */
	struct type_member *next;
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
	struct type_member *members, *last_member; /* struct, union, enum */
	bool is_complete;	      /* of these: false for a forward declaration */
	const struct typesrc *source; /* fills in members and size when first asked */
	uint64_t source_ref;	      /* source's own, for type_complete() */
	uint8_t show;	      /* enum program_show of TYPE_STACK, TYPE_SYMADDR */
	struct type *derived; /* chain of the types derived from this one */
	struct type *next;    /* in base->derived */
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

/*
 * A new incomplete struct, union or enum. name as messages print it ("struct x",
 * "struct <anonymous>"); is_named: type_find() finds it by that name from now on.
 */
struct type *type_tagged(struct types *ts, enum type_kind kind, const char *name,
			 bool is_named);
/* Appends; m is copied, its name too. Members of an enum: name and value. */
void type_add_member(struct types *ts, struct type *t, const struct type_member *m);
/*
 * Members of t with the layout of the C ABI: sets offset, bit and the type's size
 * for members added with offset 0, in order, and marks it complete.
 */
void type_lay_out(struct types *ts, struct type *t);
/* The member, also of anonymous ones inside (offset from t's start); false: none. */
bool type_member(struct types *ts, const struct type *t, const char *name,
		 struct type_member *out);
bool type_is_struct_or_union(const struct type *t); /* struct or union */
bool type_is_enum(const struct type *t);
/*
 * t (a struct, union or enum) with members and size: asks its source if it came
 * from one and was not yet filled in. False: only a forward declaration is known.
 */
bool type_complete(struct types *ts, const struct type *t);

/* stack(), ustack(), jstack() of so many frames; sym() and its kin. */
const struct type *type_stack(struct types *ts, uint8_t show, uint32_t frames);
const struct type *type_symaddr(struct types *ts, uint8_t show);
bool type_is_location(const struct type *t); /* one of these */

const struct type *type_pointer(struct types *ts, const struct type *base);
const struct type *type_array(struct types *ts, const struct type *elem,
			      uint32_t count);
/* Another name for base that type_find() does not find: a typedef of the target. */
const struct type *type_alias(struct types *ts, const char *name,
			      const struct type *base);
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
bool type_is_pointer(const struct type *t); /* also an array: it decays */
bool type_is_string(const struct type *t);  /* the D string */
bool type_is_scalar(const struct type *t);  /* integer or pointer */
bool type_is_signed(const struct type *t);
bool type_is_void(const struct type *t);
/* A register holds its address: arrays, structs, unions, floating point. */
bool type_is_by_address(const struct type *t);
bool type_is_userland(const struct type *t);
/* char *, char [] or string. */
bool type_is_strcompat(const struct type *t);
/* An array of wchar_t, or of another 4-byte integer. */
bool type_is_wide_text(const struct type *t);
/* What a pointer or array leads to (char of a string), else NULL. */
const struct type *type_pointee(const struct types *ts, const struct type *t);
bool type_is_same(const struct type *a, const struct type *b);
/* Of an arithmetic operation on two integers: the operand of higher rank. */
const struct type *type_promote(const struct type *a, const struct type *b);
/* Of an integer literal: first of the C99 list that holds v; NULL: none does. */
const struct type *type_of_literal(const struct types *ts, uint64_t v, bool is_decimal,
				   bool has_u, unsigned longs);

#endif
