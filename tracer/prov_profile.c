/* SPDX-License-Identifier: MIT */
/*
 * The profile provider: tick-RATE probes, fired by the front's clock, and
 * profile-RATE probes, for which the keeper samples every traced thread that is
 * running. Without a target these are fired by the front, too.
 */
#include "symbols/symbols.h"
#include "tracer/provider.h"
#include "tracer/rate.h"
#include "tracer/trace.h"
#include "vm/base/fmt.h"
#include "vm/base/host/glob.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define INTERVAL_MIN 200000 /* 5000 Hz: anything faster is no such probe */
#define NAME_MAX_LEN 15

static const char *const profile_rates[] = {"97",   "199",  "499", "997",
					    "1999", "4001", "4999"};
static const char *const tick_rates[] = {"1", "10", "100", "500", "1000", "5000"};

/* Nanoseconds between firings of a RATE; 0 when it is none or too fast. */
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
	if (strlen(name) > NAME_MAX_LEN)
		return 0;
	if (strncmp(name, "tick-", 5) == 0)
		return rate_interval(name + 5);
	return strncmp(name, "profile-", 8) == 0 ? rate_interval(name + 8) : 0;
}

bool prov_profile_is_sampled(const struct tracer *t, const struct probe *p)
{
	return p->provider == &prov_profile && t->targets.len > 0 &&
	       strncmp(probes_name(&t->probes, p, PROBE_NAME), "profile-", 8) == 0;
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
		probes_add(&t->probes, &prov_profile,
			   (const char *const[4]){prov_profile.name, "", "", name});
	return 0;
}

const struct provider prov_profile = {
	.name = "profile",
	.contexts = CONTEXT_FRONT | CONTEXT_KEEPER,
	.attributes = {"Evolving/Evolving/Common", "Unstable/Unstable/Unknown",
		       "Private/Private/Unknown", "Evolving/Evolving/Common",
		       "Evolving/Evolving/Common"},
	.provide = profile_provide,
};

static void add_rates(struct tracer *t, const char *kind, const char *const rates[],
		      size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char name[32];

		snprintf(name, sizeof(name), "%s-%s", kind, rates[i]);
		probes_add(&t->probes, &prov_profile,
			   (const char *const[4]){prov_profile.name, "", "", name});
	}
}

void prov_profile_init(struct tracer *t)
{
	add_rates(t, "profile", profile_rates, ARRAY_LEN(profile_rates));
	add_rates(t, "tick", tick_rates, ARRAY_LEN(tick_rates));
}
