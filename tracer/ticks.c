/* SPDX-License-Identifier: MIT */
#include "tracer/ticks.h"
#include "tracer/base/provider.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>

void ticks_start(struct ticks *ticks, const struct tracer *t)
{
	uint64_t now = t->host.past.is_set ? t->host.past.now : clock_now_ns();

	for (size_t i = 0; i < t->probes.table.len; i++) {
		const struct probe *p = &t->probes.table.data[i];
		struct provider_source source;

		if (p->nenablings == 0 || !provider_has_source(p))
			continue;
		source = provider_source(t, p);
		if (source.by == SOURCE_CLOCK)
			*vec_push(ticks) = (struct tick){p->id, source.interval,
							 now + source.interval};
	}
}

void ticks_fire(struct ticks *ticks, struct tracer *t, uint64_t now)
{
	for (size_t i = 0; i < ticks->len; i++) {
		struct tick *tick = &ticks->data[i];

		if (tick->next > now)
			continue;
		host_env_fire_clock(&t->host, tick->probe);
		tick->next += tick->interval;
		if (tick->next <= now)
			tick->next = now + tick->interval;
	}
}

uint64_t ticks_next(const struct ticks *ticks)
{
	uint64_t at = UINT64_MAX;

	for (size_t i = 0; i < ticks->len; i++)
		at = min_u64(at, ticks->data[i].next);
	return at;
}

void ticks_release(struct ticks *ticks)
{
	vec_release(ticks);
}
