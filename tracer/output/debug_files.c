/* SPDX-License-Identifier: MIT */
#include "tracer/output/debug_files.h"
#include "tracer/base/patience.h"
#include "tracer/output/patient_load.h"
#include "vm/base/host/vec.h"

struct module_types *debug_files_of(struct debug_files *d, const struct module *m,
				    uint64_t value)
{
	struct module_types *types;

	for (size_t i = 0; i < d->files.len; i++)
		if (d->files.data[i].dev == m->dev && d->files.data[i].ino == m->ino)
			return d->files.data[i].types;
	types = m->is_vdso ? NULL : patient_load_types(m, value);
	*vec_push(&d->files) = (struct debug_file){m->dev, m->ino, types};
	return types;
}

size_t debug_files_places(struct debug_files *d, const struct module *m, taddr pc,
			  struct target_place out[TARGET_PLACES_MAX])
{
	struct module_types *types = debug_files_of(d, m, pc.v - m->bias);
	struct patience_wait outer;
	size_t n;

	if (!types)
		return 0;
	outer = patience_begin(AWAITED_SYMBOLS);
	n = patience_is_over() ? 0 : module_types_places(types, pc.v - m->bias, out);
	patience_end(outer);
	return n;
}

void debug_files_release(struct debug_files *d)
{
	for (size_t i = 0; i < d->files.len; i++)
		module_types_close(d->files.data[i].types);
	vec_release(&d->files);
}
