/* SPDX-License-Identifier: MIT */
/* What module_read_code() has read: parts of it are freed, and read again, as needed. */
#include "symbols/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "symbols/elf/budget.h"
#include "vm/base/host/oom.h"

void module_code_drop_tables(struct module_code *c)
{
	for (size_t i = 0; i < c->nareas; i++) {
		if (c->areas[i].is_code)
			continue;
		free(c->areas[i].data);
		c->areas[i].data = NULL;
	}
	module_code_drop_lists(c);
}

void module_code_drop_lists(struct module_code *c)
{
	free(c->frames);
	c->frames = NULL;
	c->nframes = 0;
	free(c->pointers);
	c->pointers = NULL;
	c->npointers = 0;
}

bool module_code_hold_area(struct module_code *c, size_t area)
{
	struct code_area *a = &c->areas[area];

	if (a->data)
		return true;
	a->data = oom_realloc(NULL, a->size);
	if (module_code_reread(c, a, 0, a->data, a->size))
		return true;
	free(a->data);
	a->data = NULL;
	return false;
}

bool module_code_drop_area(struct module_code *c, size_t area)
{
	struct code_area *a = &c->areas[area];

	if (c->fd < 0 || a->is_relocated)
		return false;
	free(a->data);
	a->data = NULL;
	return true;
}

bool module_code_reread(const struct module_code *c, const struct code_area *area,
			size_t from, uint8_t *buf, size_t n)
{
	while (n) {
		ssize_t got = pread(c->fd, buf, n, (off_t)(area->offset + from));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		from += (size_t)got;
		buf += got;
		n -= (size_t)got;
	}
	return true;
}

void module_code_free(struct module_code *c)
{
	if (!c)
		return;
	if (c->fd >= 0)
		close(c->fd);
	budget_forget(c->kept);
	for (size_t i = 0; i < c->nareas; i++)
		free(c->areas[i].data);
	free(c->areas);
	free(c->frames);
	free(c->pointers);
	free(c->zones);
	free(c);
}
