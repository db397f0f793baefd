/* SPDX-License-Identifier: MIT */
#include "tracer/aggs/agg_names.h"
#include "vm/base/hash.h"
#include "vm/base/host/vec.h"
#include "vm/tuple.h"

#include <string.h>

void agg_names_release(struct agg_names *n)
{
	map_release(&n->by_name);
	vec_release(&n->places);
	strbuf_release(&n->key);
}

void agg_names_reset(struct agg_names *n)
{
	if (n->places.len)
		map_release(&n->by_name);
	n->places.len = 0;
}

/* Whether the field's addresses are grouped by their names. */
static bool is_grouped(const struct program_field *f)
{
	return f->show == SHOW_USYM || f->show == SHOW_UMOD;
}

/* Puts the address that stands for the name of v into place. */
static void choose_place(struct agg_names *n, struct ustack *u, uint64_t salt,
			 const struct tuple_value *v, struct agg_name_place *place)
{
	const struct strbuf *text = ustack_name(u, v, &place->address);
	uint64_t hash = hash_bytes(text->data, text->len, salt + v->field->show);
	uint64_t number;

	if (map_get(&n->by_name, hash, &number)) {
		*place = n->places.data[number];
		return;
	}
	map_set(&n->by_name, hash, n->places.len);
	*vec_push(&n->places) = *place;
}

struct agg_entry_view agg_names_entry(struct agg_names *n, struct ustack *u,
				      const void *image, uint64_t salt,
				      const struct agg_entry_view *e)
{
	const struct program_agg *a = program_agg(image, e->agg);
	struct agg_entry_view named = *e;
	size_t pos = 0;

	for (uint32_t i = 0; i < a->nkeys && u; i++) {
		const struct program_field *f = program_field(image, a->first_key + i);
		struct agg_name_place place;
		struct tuple_value v;
		size_t at;

		if (tuple_next(e->key, e->key_size, &pos, f, &v))
			return *e;
		if (!is_grouped(f) || v.len != sizeof(place))
			continue;
		if (named.key == e->key) {
			strbuf_reset(&n->key);
			strbuf_add(&n->key, e->key, e->key_size);
			named.key = n->key.data;
		}
		at = (size_t)(v.bytes - (const char *)e->key);
		memcpy(&place, v.bytes, sizeof(place));
		choose_place(n, u, salt, &v, &place);
		memcpy(n->key.data + at, &place, sizeof(place));
	}
	return named;
}
