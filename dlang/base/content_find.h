/* SPDX-License-Identifier: MIT */
/*
 * How types with content are found. Each find() knows one family of types by its members
 * and sets *c; false: the layout is another, and the type is an ordinary struct.
 */
#ifndef DLANG_BASE_CONTENT_FIND_H
#define DLANG_BASE_CONTENT_FIND_H

#include "dlang/base/content.h"

#define CONTENT_NESTED_MAX 16 /* structs in structs */

/* The first pointer, in the order of members, that is called name (NULL: any). */
bool content_pointer(struct types *ts, const struct type *t, const char *name,
		     unsigned depth, struct type_member *out);
/* The member at the end of a path of names; its offset is from the start of t. */
bool content_path(struct types *ts, const struct type *t, const char *const *path,
		  struct type_member *out);
/* Sets c->length to the place of a member that is an integer of 8 bytes. */
bool content_length(struct types *ts, const struct type *t, const char *const *path,
		    struct content *c);
/* Whether n bytes at the offset are inside of t. */
bool content_is_inside(struct types *ts, const struct type *t, uint64_t offset,
		       uint64_t n);
/* Whether name is the pattern, or begins with it if that ends in one of "<[],". */
bool content_is_called(const char *name, const char *pattern);

/* content_nodes.c: containers whose values are in nodes or blocks. */
bool content_find_tree(struct types *ts, const struct type *t, struct content *c);
bool content_find_map(struct types *ts, const struct type *t, struct content *c);
bool content_find_list(struct types *ts, const struct type *t, struct content *c);
bool content_find_forward(struct types *ts, const struct type *t, struct content *c);
bool content_find_hash(struct types *ts, const struct type *t, struct content *c);
bool content_find_hash_map(struct types *ts, const struct type *t, struct content *c);
bool content_find_deque(struct types *ts, const struct type *t, struct content *c);

/* content_inner.c: types whose content is inside of the value. */
bool content_find_pair(struct types *ts, const struct type *t, struct content *c);
bool content_find_tuple(struct types *ts, const struct type *t, struct content *c);
bool content_find_variant(struct types *ts, const struct type *t, struct content *c);
bool content_find_bitset(struct types *ts, const struct type *t, struct content *c);
bool content_find_wrapper(struct types *ts, const struct type *t, struct content *c);

#endif
