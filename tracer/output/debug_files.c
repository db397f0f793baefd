/* SPDX-License-Identifier: MIT */
#include "tracer/output/debug_files.h"
#include "vm/base/host/vec.h"

struct module_types *debug_files_of(struct debug_files *d, const struct module *m)
{
	struct module_types *types;
	struct err ignored;

	for (size_t i = 0; i < d->files.len; i++)
		if (d->files.data[i].dev == m->dev && d->files.data[i].ino == m->ino)
			return d->files.data[i].types;
	if (m->is_vdso || module_types_open(m, &types, &ignored))
		types = NULL;
	*vec_push(&d->files) = (struct debug_file){m->dev, m->ino, types};
	return types;
}

void debug_files_release(struct debug_files *d)
{
	for (size_t i = 0; i < d->files.len; i++)
		module_types_close(d->files.data[i].types);
	vec_release(&d->files);
}
