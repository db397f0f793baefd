/* SPDX-License-Identifier: MIT */
/*
 * print(): one walk over a value by its type (print.c, print_content.c), leaves
 * (print_leaf.c), and forms that write them (print_text.c, print_json.c).
 */
#ifndef DLANG_PRINT_H
#define DLANG_PRINT_H

#include "dlang/base/content.h"
#include "dlang/dlang.h"

struct printer {
	struct types *types;
	const struct dlang_value *value;
	const struct content_plan *plan;
	const struct print_form *form;
	struct strbuf *out;
	bool is_natural; /* as a user of the language reads values, not as DTrace */
};

/* A sub-object of the value, and how deep in structs it is. */
struct subobject {
	const struct type *type;
	const unsigned char *bytes;
	size_t n;
	uint32_t depth;
	const struct type *named; /* the type before typedefs were resolved */
};

enum group_kind {
	GROUP_MEMBERS, /* of a struct or union */
	GROUP_ARRAY,   /* elements of an array */
	GROUP_CONTENT, /* elements of a container */
	GROUP_PAIRS,   /* keys and values of one */
	GROUP_TUPLE,   /* values without names */
	GROUP_FIELDS,  /* values with names, as Rust writes them */
};

/* Values that belong together, while they are written. */
struct group {
	enum group_kind kind;
	uint32_t depth;
	bool is_tall;	 /* each begins a line */
	uint64_t nitems; /* begun so far */
};

struct print_form {
	bool flattens; /* members of an anonymous struct are among those around it */
	void (*begin)(struct printer *p, const struct group *g);
	/* Before and behind an item of the group. m: the member, of MEMBERS and FIELDS;
	 * type: of the item, of ARRAY. */
	void (*item)(struct printer *p, struct group *g, const struct type_member *m,
		     const struct type *type);
	void (*colon)(struct printer *p); /* between a key and its value */
	void (*item_end)(struct printer *p, const struct group *g);
	void (*end)(struct printer *p, const struct group *g);
	/* A variant by its name; what it has follows if it has_values. */
	void (*variant)(struct printer *p, const char *name, bool has_values);
	void (*variant_end)(struct printer *p, bool has_values);
	/* A pointer, or what it points to, follows. */
	void (*pointee)(struct printer *p, uint64_t address);
	/* The text of a leaf, or a remark about one, is in out from `from` on. */
	void (*leaf)(struct printer *p, size_t from, bool is_number);
	void (*text)(struct printer *p, const unsigned char *bytes, size_t n,
		     bool is_cut);
};
extern const struct print_form print_text_form, print_json_form;

/* Whether the text has reached its limit. */
static inline bool print_is_full(const struct printer *p)
{
	return p->out->len > p->value->limit;
}
/* The little-endian number in the first bytes, at most 8. */
uint64_t print_number_at(const struct subobject *at, size_t size);

/* print.c: any value; its members alone, as items of a group. */
void print_value(struct printer *p, const struct subobject *given);
void print_members(struct printer *p, const struct subobject *at, struct group *g);
void print_type_name(struct printer *p, const struct type *t);
/* A word in place of a value: "<none>". */
void print_remark(struct printer *p, const char *fmt, ...) ATTR_PRINTF(2, 3);

/* print_leaf.c: a value that has no parts, and a bit-field of the unit at. */
void print_leaf(struct printer *p, const struct subobject *at);
void print_bits(struct printer *p, const struct type_member *m,
		const struct subobject *at);
/* Whether the elements of an array of this type are characters of text. */
bool print_is_char(const struct type *t);

/* print_content.c: a value by its content. False: it has none. */
bool print_content(struct printer *p, const struct subobject *at);

#endif
