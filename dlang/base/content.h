/* SPDX-License-Identifier: MIT */
/*
 * Strings, vectors and smart pointers of the C++ and Rust standard libraries: where a
 * value of such a type has its content. A type is known by its name and by its members,
 * as libstdc++ and rustc lay them out and debug data describes them.
 */
#ifndef DLANG_BASE_CONTENT_H
#define DLANG_BASE_CONTENT_H

#include "dlang/type.h"

enum content_kind {
	CONTENT_TEXT,	  /* std::string, std::string_view, &str, String */
	CONTENT_ELEMENTS, /* std::vector, Vec, slices */
	CONTENT_POINTEE,  /* std::unique_ptr, std::shared_ptr */
	CONTENT_OPTIONAL, /* std::optional: its content is inside of the value */
};

/* Offsets are in bytes from the start of the value. */
struct content {
	enum content_kind kind;
	const struct type *element; /* its size is not 0 */
	uint64_t begin; /* a pointer to the content; of OPTIONAL the content itself */
	uint64_t
		length; /* the number of elements; of OPTIONAL a flag: it has a value */
	bool has_end;	/* instead, a pointer to the end of the content is at length */
};

/* Whether t is such a type. Completes the types that it is made of. */
bool content_find(struct types *ts, const struct type *t, struct content *out);
/* The same, for text alone. */
bool content_is_text(struct types *ts, const struct type *t, struct content *out);

/*
 * Appends the name of a type as a program has it: without the arguments of templates
 * that stand for the usual allocator and the like, nor the names behind std::string.
 */
void content_type_name(const struct type *t, struct strbuf *out);

/*
 * What print() reads with a value: pieces of memory of the target, one for each such
 * type in the value or in a piece before. A record has them one after the other, each
 * as 8 bytes, the number of bytes that could be read, and room for so many.
 */
#define CONTENT_PIECES_MAX 64

struct content_piece {
	const struct type *type;
	struct content content;
	uint32_t owner;	  /* 0: the value has it; else the number of a piece, plus 1 */
	uint64_t offset;  /* of the value of this type in its owner */
	uint32_t at, cap; /* its place among all pieces; its room without the 8 bytes */
};

struct content_plan {
	const struct type *type; /* of the value */
	bool is_wanted;		 /* option printstl */
	uint32_t n, size;	 /* pieces; bytes of all */
	struct content_piece pieces[CONTENT_PIECES_MAX];
};

/* The room of a text is strsize, inside of other content a quarter of that. */
void content_plan(struct types *ts, const struct type *t, struct content_plan *out);

#endif
