/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/os/write_run.h"
#include "tracer/keeper/os/mem.h"
#include "vm/base/host/oom.h"

#include <stdlib.h>
#include <string.h>

#define RUN_MAX ((size_t)1 << 20)

int write_run_flush(struct write_run *r)
{
	int status = r->len ? mem_write(r->mem, r->lo, r->data, r->len) : 0;

	r->len = 0;
	return status;
}

int write_run_add(struct write_run *r, taddr at, const void *bytes, size_t n)
{
	int status = 0;

	if (r->len && (at.v != r->lo.v + r->len || r->len + n > RUN_MAX))
		status = write_run_flush(r);
	if (!r->data)
		r->data = oom_realloc(NULL, RUN_MAX);
	if (!r->len)
		r->lo = at;
	memcpy(r->data + r->len, bytes, n);
	r->len += n;
	return status;
}

void write_run_release(struct write_run *r)
{
	free(r->data);
	r->data = NULL;
	r->len = 0;
}
