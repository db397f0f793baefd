/* SPDX-License-Identifier: MIT */
#include "tracer/base/place_keys.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>

#define FIRST_KEY 4096u

struct place_keys *place_keys_new(void)
{
	return oom_calloc(1, sizeof(struct place_keys));
}

void place_keys_free(struct place_keys *k)
{
	if (k)
		vec_release(&k->files);
	free(k);
}

static const struct place_file *find(const struct place_keys *k, const struct module *m)
{
	struct module_stamp stamp;

	if (!k->files.len || (!module_stamp(m, &stamp) && !m->is_vdso))
		return NULL;
	for (size_t i = 0; i < k->files.len; i++) {
		const struct place_file *file = &k->files.data[i];

		if (m->is_vdso ? file->is_vdso
			       : module_is_same_stamp(&file->stamp, &stamp))
			return file;
	}
	return NULL;
}

bool place_keys_add(struct place_keys *k, const struct module *m)
{
	const struct place_file *last =
		k->files.len ? &k->files.data[k->files.len - 1] : NULL;
	uint64_t first = last ? last->first + last->size : FIRST_KEY;
	struct place_file file = {.base = m->lo.v - m->bias,
				  .size = m->hi.v - m->lo.v,
				  .is_vdso = m->is_vdso};

	if (find(k, m))
		return true;
	if ((!module_stamp(m, &file.stamp) && !m->is_vdso) || first > UINT32_MAX ||
	    file.size > UINT32_MAX - first)
		return false;
	file.first = (uint32_t)first;
	*vec_push(&k->files) = file;
	return true;
}

bool place_keys_shift(const struct place_keys *k, const struct module *m,
		      uint64_t *shift)
{
	const struct place_file *file = find(k, m);

	*shift = file ? file->first - file->base : 0;
	return file;
}

uint32_t place_keys_of(const struct place_keys *k, const struct module *m, taddr addr)
{
	const struct place_file *file = find(k, m);
	uint64_t at = file ? addr.v - m->bias - file->base : 0;

	return file && at < file->size ? file->first + (uint32_t)at : 0;
}
