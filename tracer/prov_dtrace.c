/* SPDX-License-Identifier: MIT */
/*
 * The dtrace provider: BEGIN, END and ERROR, which always exist.
 */
#include "tracer/provider.h"
#include "tracer/trace.h"

const struct provider prov_dtrace = {
	.name = "dtrace",
	.contexts = CONTEXT_FRONT,
	.attributes = {"Stable/Stable/Common", "Private/Private/Unknown",
		       "Private/Private/Unknown", "Stable/Stable/Common",
		       "Stable/Stable/Common"},
};

void prov_dtrace_init(struct tracer *t)
{
	/* In the order of their fixed ids: PROBE_BEGIN, PROBE_END, PROBE_ERROR. */
	static const char *const names[] = {"BEGIN", "END", "ERROR"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		probes_add(&t->probes, &prov_dtrace,
			   (const char *const[4]){"dtrace", "", "", names[i]});
}
