/* SPDX-License-Identifier: MIT */
#include "tracer/providers/machine/machine.h"
#include "tracer/base/core.h"
#include "tracer/events/events.h"
#include "vm/base/host/glob.h"

#include <stdio.h>
#include <string.h>

static const struct machine_provider *table_of(const struct provider *self)
{
	return (const void *)self; /* its first member */
}

/* NULL: it was made from no row; a recording can have any name. */
static const struct machine_row *row_of(const struct probes *ps, const struct probe *p)
{
	const struct machine_provider *table = table_of(p->provider);
	const char *name = probes_name(ps, p, PROBE_NAME);

	for (size_t i = 0; i < table->n; i++)
		if (strcmp(table->rows[i].name, name) == 0)
			return &table->rows[i];
	return NULL;
}

void machine_source(const struct tracer *t, const struct probe *p,
		    struct provider_source *out)
{
	out->by = SOURCE_EVENT;
	out->kernel = *row_of(&t->probes, p)->event;
}

void machine_arguments(const struct probes *ps, const struct probe *p,
		       struct provider_arguments *out)
{
	const struct machine_row *row = row_of(ps, p);

	out->n = row ? row->count : 0;
	if (out->n)
		memcpy(out->list, row->first, row->count * sizeof(*row->first));
}

/* Whether the kernel has all events of a row; if not, text says why. */
static bool is_there(struct tracer *t, const struct machine_row *row, char *text,
		     size_t room)
{
	if (!row->event) {
		snprintf(text, room, "%s", row->why);
		return false;
	}
	for (const struct kernel_event *k = row->event; k; k = k->also) {
		if (!k->name || events_has(t, k->system, k->name))
			continue;
		snprintf(text, room, "this kernel has no event %s:%s", k->system,
			 k->name);
		return false;
	}
	return true;
}

/* field NULL: all of the provider. why: of a row that is named and not there. */
static void add(const struct provider *self, struct tracer *t, const char *field,
		char *why, size_t room)
{
	const struct machine_provider *table = table_of(self);
	char text[256];

	for (size_t i = 0; i < table->n; i++) {
		const char *name = table->rows[i].name;

		if (field && !match_field(field, name))
			continue;
		if (is_there(t, &table->rows[i], text, sizeof(text)))
			probes_add(&t->probes, self,
				   (const char *const[4]){self->name, "", "", name});
		else if (field && strcmp(field, name) == 0)
			snprintf(why, room, "%s", text);
	}
}

void machine_add_all(const struct provider *self, struct tracer *t)
{
	if (t->serves_machine)
		add(self, t, NULL, NULL, 0);
}

int machine_provide(const struct provider *self, struct tracer *t,
		    const struct dlang_probe_desc *desc, struct match *m, struct err *e)
{
	(void)e;
	if (t->serves_machine && *desc->field[0] &&
	    glob_match(desc->field[0], self->name) && !*desc->field[1] &&
	    !*desc->field[2])
		add(self, t, desc->field[3], m->hint, sizeof(m->hint));
	return 0;
}
