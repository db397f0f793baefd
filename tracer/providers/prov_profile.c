/* SPDX-License-Identifier: MIT */
/*
 * The profile provider. tick-RATE probes are fired by dtrace's clock. profile-RATE
 * probes are fired by the keeper, in every traced thread that is running; if no process
 * is traced, on every processor by the kernel's clock, or by dtrace's where that is not
 * permitted.
 */
#include "tracer/providers/prov_profile.h"
#include "tracer/base/rate.h"
#include "tracer/base/core.h"
#include "vm/base/fmt.h"
#include "vm/base/host/glob.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define INTERVAL_MIN 200000 /* 5000 Hz: no probe is faster */

static const char *const profile_rates[] = {"97",   "199",  "499", "997",
					    "1999", "4001", "4999"};
static const char *const tick_rates[] = {"1", "10", "100", "500", "1000", "5000"};

/* Nanoseconds between firings at this rate; 0 if it is not a rate, or too fast. */
static uint64_t rate_interval(const char *rate)
{
	size_t digits = strspn(rate, "0123456789");
	const char *suffix = rate + digits;
	uint64_t n, ns;

	if (fmt_parse_u64(rate, digits, 10, &n) || n == 0)
		return 0;
	if (!*suffix || strcasecmp(suffix, "hz") == 0)
		ns = NSEC_PER_SEC / n;
	else if (__builtin_mul_overflow(n, rate_unit(suffix), &ns))
		ns = 0;
	return ns >= INTERVAL_MIN ? ns : 0;
}

uint64_t prov_profile_interval(const char *name)
{
	if (strncmp(name, "tick-", 5) == 0)
		return rate_interval(name + 5);
	return strncmp(name, "profile-", 8) == 0 ? rate_interval(name + 8) : 0;
}

static void profile_source(const struct tracer *t, const struct probe *p,
			   struct provider_source *out)
{
	const char *name = probes_name(&t->probes, p, PROBE_NAME);

	bool is_profile = strncmp(name, "profile-", 8) == 0;

	if (is_profile && t->targets.len == 0 && t->serves_machine) {
		out->by = SOURCE_EVENT;
		out->kernel.type = PERF_TYPE_SOFTWARE;
		out->kernel.config = PERF_COUNT_SW_CPU_CLOCK;
		out->kernel.value = prov_profile_interval(name);
	} else if (is_profile && t->targets.len > 0) {
		out->by = SOURCE_KEEPER;
		out->event.kind = KEEPER_SITELESS_PROFILE;
		out->event.value = prov_profile_interval(name);
	} else {
		out->by = SOURCE_CLOCK;
		out->interval = prov_profile_interval(name);
	}
}

static int profile_provide(const struct provider *self, struct tracer *t,
			   const struct dlang_probe_desc *desc, struct match *m,
			   struct err *e)
{
	const char *name = desc->field[3];

	(void)m;
	if (*desc->field[0] && !glob_match(desc->field[0], self->name))
		return 0;
	if (*desc->field[1] || *desc->field[2])
		return 0;
	(void)e;
	if (prov_profile_interval(name))
		probes_add(&t->probes, self,
			   (const char *const[4]){self->name, "", "", name});
	return 0;
}

/* "profile-97", ... */
struct rates {
	const char *kind;
	const char *const *rates;
	size_t n;
};

static void add_rates(const struct provider *self, struct tracer *t,
		      const struct rates *r)
{
	for (size_t i = 0; i < r->n; i++) {
		char name[32];

		snprintf(name, sizeof(name), "%s-%s", r->kind, r->rates[i]);
		probes_add(&t->probes, self,
			   (const char *const[4]){self->name, "", "", name});
	}
}

static void profile_init(const struct provider *self, struct tracer *t)
{
	const struct rates profile = {"profile", profile_rates,
				      ARRAY_LEN(profile_rates)};
	const struct rates tick = {"tick", tick_rates, ARRAY_LEN(tick_rates)};

	add_rates(self, t, &profile);
	add_rates(self, t, &tick);
}

static bool profile_fires_in_all(const struct probes *ps, const struct probe *p)
{
	return strncmp(probes_name(ps, p, PROBE_NAME), "profile-", 8) == 0;
}

const struct provider prov_profile = {
	.name = "profile",
	.contexts = CONTEXT_FRONT | CONTEXT_KEEPER,
	.attributes = {"Evolving/Evolving/Common", "Unstable/Unstable/Unknown",
		       "Private/Private/Unknown", "Evolving/Evolving/Common",
		       "Evolving/Evolving/Common"},
	.init = profile_init,
	.provide = profile_provide,
	.source = profile_source,
	.fires_in_all = profile_fires_in_all,
};
