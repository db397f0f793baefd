/* SPDX-License-Identifier: MIT */
#include "dlang/gen/image.h"

#include <string.h>

void image_init(struct image *img)
{
	*img = (struct image){0};
	image_string(img, "");
}

void image_release(struct image *img)
{
	vec_release(&img->code);
	vec_release(&img->consts);
	map_release(&img->const_at);
	strbuf_release(&img->str);
	strmap_release(&img->str_at);
	vec_release(&img->clauses);
	vec_release(&img->actions);
	vec_release(&img->fields);
	vec_release(&img->operands);
	vec_release(&img->stmts);
	map_release(&img->printed);
}

uint32_t image_const(struct image *img, uint64_t v)
{
	uint64_t at;

	if (map_get(&img->const_at, v, &at))
		return (uint32_t)at;
	at = img->consts.len;
	*vec_push(&img->consts) = v;
	map_set(&img->const_at, v, at);
	return (uint32_t)at;
}

uint32_t image_string(struct image *img, const char *s)
{
	uint64_t at;

	if (strmap_get(&img->str_at, s, &at))
		return (uint32_t)at;
	at = img->str.len;
	strbuf_add(&img->str, s, strlen(s) + 1);
	strmap_set(&img->str_at, s, at);
	return (uint32_t)at;
}

struct program_field image_field(struct image *img, const struct types *ts,
				 const struct type *t)
{
	struct program_field f = {.kind = KIND_INT,
				  .is_signed = type_is_signed(t),
				  .size = (uint32_t)type_size(ts, t),
				  .type = image_string(img, t->name)};

	if (type_is_string(t))
		f.kind = KIND_STR;
	else if (type_is_by_address(t))
		f.kind = KIND_BYTES;
	if (type_is_float(t))
		f.show = SHOW_FLOAT;
	else if (type_is_wide_text(t))
		f.show = SHOW_WIDE;
	else
		f.show = type_resolve(t)->show;
	return f;
}
