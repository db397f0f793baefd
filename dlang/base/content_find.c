/* SPDX-License-Identifier: MIT */
/* Which types have content elsewhere: by their names, and then by their members. */
#include "dlang/base/content_find.h"

#include <string.h>

/* ---- members ---- */

static bool is_pointer(const struct type *t)
{
	return type_resolve(t)->kind == TYPE_POINTER;
}

bool content_pointer(struct types *ts, const struct type *t, const char *name,
		     unsigned depth, struct type_member *out)
{
	if (!type_is_struct_or_union(t) || !type_complete(ts, t) || depth == 0)
		return false;
	for (const struct type_member *m = type_resolve(t)->members; m; m = m->next) {
		bool is_base = !m->name[0];

		if ((!name || strcmp(m->name, name) == 0) && is_pointer(m->type)) {
			*out = *m;
			return true;
		}
		if ((is_base || !name) &&
		    content_pointer(ts, m->type, name, depth - 1, out)) {
			out->offset += m->offset;
			return true;
		}
	}
	return false;
}

bool content_path(struct types *ts, const struct type *t, const char *const *path,
		  struct type_member *out)
{
	uint64_t offset = 0;

	for (; *path; path++) {
		if (!type_member(ts, t, *path, out) || out->nbits)
			return false;
		offset += out->offset;
		t = out->type;
	}
	out->offset = offset;
	return true;
}

bool content_is_inside(struct types *ts, const struct type *t, uint64_t offset,
		       uint64_t n)
{
	uint64_t size = type_size(ts, t);

	return size >= n && offset <= size - n;
}

/* Sets what all kinds but OPTIONAL have; false: the layout is another. */
static bool set_pointed(struct types *ts, const struct type *t,
			const struct type_member *pointer, struct content *c)
{
	if (!c->element)
		c->element = type_resolve(pointer->type)->base;
	c->begin = pointer->offset;
	return type_size(ts, c->element) > 0 && content_is_inside(ts, t, c->begin, 8) &&
	       content_is_inside(ts, t, c->length, 8);
}

bool content_length(struct types *ts, const struct type *t, const char *const *path,
		    struct content *c)
{
	struct type_member m = {0};

	if (!content_path(ts, t, path, &m) || !type_is_int(m.type) ||
	    type_size(ts, m.type) != 8)
		return false;
	c->length = m.offset;
	return true;
}

static bool set_length(struct types *ts, const struct type *t, const char *name,
		       struct content *c)
{
	const char *const path[] = {name, NULL};

	return content_length(ts, t, path, c);
}

/* ---- libstdc++ ---- */

static bool find_string(struct types *ts, const struct type *t, struct content *c)
{
	static const char *const path[] = {"_M_dataplus", "_M_p", NULL};
	struct type_member m;

	c->kind = CONTENT_TEXT;
	return content_path(ts, t, path, &m) && is_pointer(m.type) &&
	       set_length(ts, t, "_M_string_length", c) && set_pointed(ts, t, &m, c);
}

static bool find_string_view(struct types *ts, const struct type *t, struct content *c)
{
	struct type_member m;

	c->kind = CONTENT_TEXT;
	return type_member(ts, t, "_M_str", &m) && is_pointer(m.type) &&
	       set_length(ts, t, "_M_len", c) && set_pointed(ts, t, &m, c);
}

/* std::vector<bool> has no such pointers. */
static bool find_vector(struct types *ts, const struct type *t, struct content *c)
{
	struct type_member impl, start, finish;

	c->kind = CONTENT_ELEMENTS;
	c->has_end = true;
	if (!type_member(ts, t, "_M_impl", &impl) ||
	    !content_pointer(ts, impl.type, "_M_start", CONTENT_NESTED_MAX, &start) ||
	    !content_pointer(ts, impl.type, "_M_finish", CONTENT_NESTED_MAX, &finish))
		return false;
	start.offset += impl.offset;
	c->length = impl.offset + finish.offset;
	return set_pointed(ts, t, &start, c);
}

static bool find_optional(struct types *ts, const struct type *t, struct content *c)
{
	static const char *const value[] = {"_M_payload", "_M_payload", "_M_value",
					    NULL};
	static const char *const flag[] = {"_M_payload", "_M_engaged", NULL};
	struct type_member m;
	uint64_t size;

	c->kind = CONTENT_OPTIONAL;
	if (!content_path(ts, t, value, &m))
		return false;
	c->element = m.type;
	c->begin = m.offset;
	size = type_size(ts, m.type);
	if (!size || !content_path(ts, t, flag, &m) || type_size(ts, m.type) != 1)
		return false;
	c->length = m.offset;
	return c->length < type_size(ts, t) && c->begin + size <= type_size(ts, t);
}

static bool find_unique(struct types *ts, const struct type *t, struct content *c)
{
	static const char *const path[] = {"_M_t", "_M_t", NULL};
	struct type_member tuple, m;

	c->kind = CONTENT_POINTEE;
	if (!content_path(ts, t, path, &tuple) ||
	    !content_pointer(ts, tuple.type, "_M_head_impl", CONTENT_NESTED_MAX, &m))
		return false;
	m.offset += tuple.offset;
	return set_pointed(ts, t, &m, c);
}

static bool find_shared(struct types *ts, const struct type *t, struct content *c)
{
	struct type_member m;

	c->kind = CONTENT_POINTEE;
	return content_pointer(ts, t, "_M_ptr", CONTENT_NESTED_MAX, &m) &&
	       set_pointed(ts, t, &m, c);
}

/* ---- Rust ---- */

/* The pointer of a Vec is inside of several structs, which differ between compilers. */
static bool find_vec(struct types *ts, const struct type *t, struct content *c)
{
	struct type_member buffer, m;

	c->kind = CONTENT_ELEMENTS;
	if (!type_member(ts, t, "buf", &buffer) || !set_length(ts, t, "len", c) ||
	    !content_pointer(ts, buffer.type, NULL, CONTENT_NESTED_MAX, &m))
		return false;
	c->element = type_resolve(t)->arguments[0];
	m.offset += buffer.offset;
	return set_pointed(ts, t, &m, c);
}

static bool find_rust_string(struct types *ts, const struct type *t, struct content *c)
{
	struct type_member vec;

	if (!type_member(ts, t, "vec", &vec) || !find_vec(ts, vec.type, c) ||
	    type_size(ts, c->element) != 1)
		return false;
	c->kind = CONTENT_TEXT;
	c->begin += vec.offset;
	c->length += vec.offset;
	return true;
}

static bool find_slice(struct types *ts, const struct type *t, struct content *c)
{
	struct type_member m;

	c->kind = CONTENT_ELEMENTS;
	return type_member(ts, t, "data_ptr", &m) && is_pointer(m.type) &&
	       set_length(ts, t, "length", c) && set_pointed(ts, t, &m, c);
}

static bool find_str(struct types *ts, const struct type *t, struct content *c)
{
	if (!find_slice(ts, t, c) || type_size(ts, c->element) != 1)
		return false;
	c->kind = CONTENT_TEXT;
	return true;
}

/* ---- Go ---- */

/* A string or slice: the address of its elements, their number, the room for them. */
static bool find_go(struct types *ts, const struct type *t, const char *pointer,
		    struct content *c)
{
	struct type_member m;

	return type_member(ts, t, pointer, &m) && is_pointer(m.type) &&
	       set_length(ts, t, "len", c) && set_pointed(ts, t, &m, c);
}

static bool find_go_string(struct types *ts, const struct type *t, struct content *c)
{
	c->kind = CONTENT_TEXT;
	return find_go(ts, t, "str", c) && type_size(ts, c->element) == 1 &&
	       type_size(ts, t) == 16;
}

static bool find_go_slice(struct types *ts, const struct type *t, struct content *c)
{
	c->kind = CONTENT_ELEMENTS;
	return find_go(ts, t, "array", c) && type_size(ts, t) == 24;
}

/* ---- types ---- */

/* A name that ends in "<", "[" or "]" is the beginning of one. */
static const struct known {
	const char *name;
	bool (*find)(struct types *ts, const struct type *t, struct content *c);
} known[] = {
	{"basic_string<char,", find_string},
	{"basic_string_view<char,", find_string_view},
	{"vector<", find_vector},
	{"optional<", find_optional},
	{"unique_ptr<", find_unique},
	{"shared_ptr<", find_shared},
	{"&str", find_str},
	{"&mut str", find_str},
	{"&[", find_slice},
	{"&mut [", find_slice},
	{"String", find_rust_string},
	{"Vec<", find_vec},
	{"string", find_go_string},
	{"[]", find_go_slice},
	{"map<", content_find_map},
	{"multimap<", content_find_map},
	{"set<", content_find_tree},
	{"multiset<", content_find_tree},
	{"unordered_map<", content_find_hash_map},
	{"unordered_multimap<", content_find_hash_map},
	{"unordered_set<", content_find_hash},
	{"unordered_multiset<", content_find_hash},
	{"list<", content_find_list},
	{"forward_list<", content_find_forward},
	{"deque<", content_find_deque},
	{"pair<", content_find_pair},
	{"tuple<", content_find_tuple},
	{"variant<", content_find_variant},
	{"bitset<", content_find_bitset},
	{"array<", content_find_wrapper},
	{"stack<", content_find_wrapper},
	{"queue<", content_find_wrapper},
	{"priority_queue<", content_find_wrapper},
	{"duration<", content_find_wrapper},
	{"time_point<", content_find_wrapper},
	{"path", content_find_wrapper},
};

bool content_is_called(const char *name, const char *pattern)
{
	size_t n = strlen(pattern);

	if (strchr("<[],", pattern[n - 1]))
		return strncmp(name, pattern, n) == 0;
	return strcmp(name, pattern) == 0;
}

bool content_find(struct types *ts, const struct type *t, struct content *out)
{
	static const char word[] = "struct ";
	const char *name;

	t = type_resolve(t);
	if (t->kind != TYPE_STRUCT || strncmp(t->name, word, sizeof(word) - 1) != 0)
		return false;
	name = t->name + sizeof(word) - 1;
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		*out = (struct content){.kind = CONTENT_TEXT};
		if (content_is_called(name, known[i].name) && type_complete(ts, t))
			return known[i].find(ts, t, out);
	}
	return false;
}

bool content_is_text(struct types *ts, const struct type *t, struct content *out)
{
	return content_find(ts, t, out) && out->kind == CONTENT_TEXT;
}
