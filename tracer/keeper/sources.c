/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/sources.h"

#include <stdlib.h>

static int check(const struct keeper *k, const struct keeper_source *s, struct err *e)
{
	if (s->kind >= KEEPER_SOURCE_COUNT)
		return err_set(e, STATUS_BADFMT, "unknown kind of source %u", s->kind);
	if (s->probe >= k->program.nprobes)
		return err_set(e, STATUS_BADFMT, "there is no probe number %u",
			       s->probe);
	return 0;
}

static void add(struct keeper *k, const struct keeper_source *s)
{
	switch ((enum keeper_source_kind)s->kind) {
	case KEEPER_SOURCE_PROFILE:
		sampler_add(&k->sampler, s->probe, s->value);
		break;
	case KEEPER_SOURCE_COUNT:
		break;
	}
}

int sources_load(struct keeper *k, struct sent table, struct err *e)
{
	size_t n = table.bytes / sizeof(struct keeper_source);
	struct keeper_source *list;
	int status = 0;

	sampler_clear(&k->sampler, &k->tasks);
	if (table.bytes % sizeof(*list))
		return err_set(e, STATUS_BADFMT, "the table of sources is malformed");
	list = sent_copy(table, e);
	if (!list)
		return e->status;
	for (size_t i = 0; i < n && !status; i++)
		status = check(k, &list[i], e);
	for (size_t i = 0; i < n && !status; i++)
		add(k, &list[i]);
	free(list);
	sampler_start(&k->sampler);
	return status;
}
