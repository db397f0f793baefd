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
	module_text_close(c->text);
	*c = (struct file_code){0};
}

/* Up to *n bytes that the file has at a value; NULL: none are known. */
static const uint8_t *bytes_at(struct file_code *c, uint64_t value, size_t *n)
{
	uint64_t skip = value - c->value;

	if (value < c->value || skip >= c->nbytes || *n > c->nbytes - skip) {
		c->value = value;
		c->nbytes =
			module_text_read(c->text, value, c->bytes, sizeof(c->bytes));
		skip = 0;
	}
	*n = min_u64(*n, c->nbytes - skip);
	return *n ? c->bytes + skip : NULL;
}

bool file_code_is_there(struct file_code *c, const struct tracer *t,
			struct procmem_window *memory,
			const struct file_code_place *place)
{
	const struct module *m = place->module;
	size_t n = min_u64(COMPARED, place->end.v - place->addr.v);
	const uint8_t *file;
	uint8_t now[COMPARED];

	if (!place->target->mapped.is_looking || m->is_vdso ||
	    pending_sites_at(place->target, place->addr))
		return true;
	if (c->module != m) {
		file_code_release(c);
		c->module = m;
		c->text = module_text_open(m);
	}
	file = c->text ? bytes_at(c, place->addr.v - m->bias, &n) : NULL;
	if (!file)
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
