/* SPDX-License-Identifier: MIT */
/*
 * The dtrace provider: BEGIN, END and ERROR, which always exist.
 */
#include "tracer/provider.h"
#include "tracer/trace.h"

static int dtrace_provide(const struct provider *self, struct tracer *t,
			   const struct dlang_probe_desc *desc, struct match *m,
			   struct err *e)
{
	(void)self;
	(void)t;
	(void)desc;
	(void)m;
	(void)e;
	return 0; /* they exist already */
}

const struct provider prov_dtrace = {
	.name = "dtrace",
	.homes = HOME_FRONT,
	.attributes = {"Stable/Stable/Common", "Private/Private/Unknown",
		       "Private/Private/Unknown", "Stable/Stable/Common",
		       "Stable/Stable/Common"},
	.provide = dtrace_provide,
};

void prov_dtrace_init(struct tracer *t)
{
	/* In the order of their fixed ids: PROBE_BEGIN, PROBE_END, PROBE_ERROR. */
	static const char *const names[] = {"BEGIN", "END", "ERROR"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		probes_add(&t->probes, &prov_dtrace,
			   (const char *const[4]){"dtrace", "", "", names[i]});
}
