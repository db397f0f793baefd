/* SPDX-License-Identifier: MIT */
#include "tracer/mapped/file_code.h"
#include "tracer/output/out.h"
#include "tracer/targets/pending_sites.h"
#include "tracer/targets/target.h"

#include <string.h>

#define NOTICES_MAX 8 /* of one image of a process */
#define COMPARED    8 /* bytes from a site on; fewer at the end of a function */

void file_code_release(struct file_code *c)
{
	module_code_free(c->code);
	*c = (struct file_code){0};
}

/* Up to *n bytes that the file has at a value; NULL: none. */
static const uint8_t *bytes_at(const struct module_code *code, uint64_t value,
			       size_t *n)
{
	for (size_t i = 0; code && i < code->ntcbs; i++) {
		const struct code_area *a = &code->areas[i];

		if (value < a->value || value - a->value >= a->size)
			continue;
		*n = min_u64(*n, a->size - (value - a->value));
		return a->data + (value - a->value);
	}
	return NULL;
}

bool file_code_is_there(struct file_code *c, const struct tracer *t,
			struct procmem_window *memory,
			const struct file_code_place *place)
{
	const struct module *m = place->module;
	size_t n = min_u64(COMPARED, place->end.v - place->addr.v);
	const uint8_t *file;
	uint8_t now[COMPARED];
	struct err ignored;

	if (!place->target->mapped.is_looking || m->is_vdso ||
	    pending_sites_at(place->target, place->addr))
		return true;
	if (c->module != m) {
		file_code_release(c);
		c->module = m;
		module_read_code(m, &c->code, &ignored);
	}
	file = bytes_at(c->code, place->addr.v - m->bias, &n);
	if (!file || !n)
		return true;
	/* A piece that is not mapped: it is tried again with more pieces. */
	if (procmem_window_read(memory, place->addr.v, now, n))
		return false;
	if (memcmp(now, file, n) == 0)
		return true;
	if (!c->is_reported && place->target->mapped.nnotices++ < NOTICES_MAX)
		out_notice(t->out,
			   "pid %d: the code of '%s' is not what its file '%s' has: it "
			   "gets no probe",
			   place->target->pid, place->function, m->name);
	c->is_reported = true;
	return false;
}
