/* SPDX-License-Identifier: MIT */
/*
 * The dtrace provider: BEGIN, END and ERROR, which always exist.
 */
#include "tracer/providers/prov_dtrace.h"
#include "tracer/base/core.h"

static void dtrace_init(const struct provider *self, struct tracer *t)
{
	/* In the order of their fixed ids: PROBE_BEGIN, PROBE_END, PROBE_ERROR. */
	static const char *const names[] = {"BEGIN", "END", "ERROR"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		probes_add(&t->probes, self,
			   (const char *const[4]){self->name, "", "", names[i]});
}

const struct provider prov_dtrace = {
	.name = "dtrace",
	.contexts = CONTEXT_FRONT,
	.attributes = {"Stable/Stable/Common", "Private/Private/Unknown",
		       "Private/Private/Unknown", "Stable/Stable/Common",
		       "Stable/Stable/Common"},
	.init = dtrace_init,
};
