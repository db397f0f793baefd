/* SPDX-License-Identifier: MIT */
/*
 * Strings, containers, smart pointers and the like of the standard libraries of C++ and
 * Rust, strings and slices of Go: where a value of such a type has its content. A type is
 * known by its name and by its members, as libstdc++, rustc and Go lay them out and debug
 * data describes them.
 */
#ifndef DLANG_BASE_CONTENT_H
#define DLANG_BASE_CONTENT_H

#include "dlang/type.h"
#include "vm/nodes.h"

enum content_kind {
	CONTENT_TEXT,	  /* std::string, std::string_view, &str, String */
	CONTENT_ELEMENTS, /* std::vector, Vec, slices */
	CONTENT_POINTEE,  /* std::unique_ptr, std::shared_ptr */
	CONTENT_NODES,	  /* std::map, list, unordered_set ... */
	CONTENT_BLOCKS,	  /* std::deque; begin and length are its positions */
	/* Their content is inside of the value. */
	CONTENT_OPTIONAL, /* std::optional */
	CONTENT_WRAPPED,  /* std::array, stack, filesystem::path, chrono types */
	CONTENT_PARTS,	  /* std::pair, std::tuple */
	CONTENT_VARIANT,  /* std::variant; its index is at begin, length bytes */
	CONTENT_BITS,	  /* std::bitset of length bits */
};

/* Offsets are in bytes from the start of the value. */
struct content {
	enum content_kind kind;
	const struct type *element; /* its size is not 0 */
	uint64_t begin; /* a pointer to the content, or the content itself */
	/* The number of elements; of OPTIONAL a flag: it has a value. */
	uint64_t length;
	bool has_end;	 /* instead, a pointer to the end of the content is at length */
	bool is_map;	 /* the elements are pairs of a key and a value */
	uint32_t nparts; /* of PARTS and VARIANT: content_part() */
	const char *unit;	  /* of a duration; or NULL */
	struct nodes_shape shape; /* of NODES and BLOCKS */
};

#define CONTENT_VALUE_MAX 4096 /* bytes of a value in a node */
#define CONTENT_PARTS_MAX 16

/* Offsets in a position of a std::deque. */
enum { CONTENT_DEQUE_CUR = 0, CONTENT_DEQUE_FIRST = 8, CONTENT_DEQUE_NODE = 24 };

/* Whether t is such a type. Completes the types that it is made of. */
bool content_find(struct types *ts, const struct type *t, struct content *out);
/* The same, for text alone. */
bool content_is_text(struct types *ts, const struct type *t, struct content *out);
/* Part i of PARTS, alternative i of VARIANT; its offset is from the start of t. */
bool content_part(struct types *ts, const struct type *t, const struct content *c,
		  uint32_t i, struct type_member *out);

/*
 * Appends the name of a type as a program has it: without the arguments of templates
 * that stand for the usual allocator and the like, nor the names behind std::string. Of
 * an anonymous type it is the kind alone: "struct [2]".
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
