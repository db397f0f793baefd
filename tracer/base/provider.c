/* SPDX-License-Identifier: MIT */
#include "tracer/base/provider.h"
#include "vm/base/host/glob.h"
#include "vm/base/host/vec.h"

bool match_field(const char *pattern, const char *text)
{
	return !*pattern || glob_match(pattern, text);
}

void match_add(struct match *m, uint32_t id)
{
	if (id_set_add(&m->seen, id))
		*vec_push(&m->ids) = id;
}

void match_release(struct match *m)
{
	vec_release(&m->ids);
	id_set_release(&m->seen);
}

struct provider_source provider_source(const struct tracer *t, const struct probe *p)
{
	struct provider_source source = {.by = SOURCE_SITES};

	if (provider_has_source(p))
		p->provider->source(t, p, &source);
	return source;
}
