/* SPDX-License-Identifier: MIT */
/*
 * The profile provider: tick-RATE probes, fired by the front's clock. The
 * profile-RATE probes, which sample the traced threads, are refused.
 */
#include "symbols/symbols.h"
#include "tracer/provider.h"
#include "tracer/rate.h"
#include "tracer/trace.h"
#include "vm/base/fmt.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define INTERVAL_MIN 200000 /* 5000 Hz: anything faster is no such probe */

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
	return strncmp(name, "tick-", 5) == 0 ? rate_interval(name + 5) : 0;
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
	if (strncmp(name, "profile-", 8) == 0 && rate_interval(name + 8))
		return err_tag(e, "D_PDESC_ZERO",
			       "probe description %s:::%s does not match any probes: "
			       "profile-N is not supported yet, use tick-N",
			       desc->field[0], name);
	if (prov_profile_interval(name))
		probes_add(&t->probes, &prov_profile,
			   (const char *const[4]){prov_profile.name, "", "", name});
	return 0;
}

const struct provider prov_profile = {
	.name = "profile",
	.homes = HOME_FRONT,
	.attributes = {"Evolving/Evolving/Common", "Unstable/Unstable/Unknown",
		       "Private/Private/Unknown", "Evolving/Evolving/Common",
		       "Evolving/Evolving/Common"},
	.provide = profile_provide,
};

void prov_profile_init(struct tracer *t)
{
	for (size_t i = 0; i < ARRAY_LEN(tick_rates); i++) {
		char name[32];

		snprintf(name, sizeof(name), "tick-%s", tick_rates[i]);
		probes_add(&t->probes, &prov_profile,
			   (const char *const[4]){prov_profile.name, "", "", name});
	}
}
