/* SPDX-License-Identifier: MIT */
/*
 * Python's frames are read from the memory of a stopped thread: stacks of the kernel's
 * events, which are printed a moment later, have none.
 */
#include "tracer/output/out.h"
#include "tracer/targets/cfi_rows.h"
#include "tracer/trace.h"

static bool takes_stack(const struct tracer *t, const struct probe *p)
{
	for (size_t i = 0; i < p->nenablings; i++)
		if (cfi_rows_are_wanted_by(t->image, probe_enablings(p)[i].clause))
			return true;
	return false;
}

void trace_note_python(const struct tracer *t)
{
	bool has_event = false;

	if (!t->options.pystack || t->is_past)
		return;
	for (size_t i = 0; i < t->probes.table.len; i++) {
		const struct probe *p = &t->probes.table.data[i];

		if (!takes_stack(t, p))
			continue;
		if (provider_source(t, p).by != SOURCE_EVENT)
			return;
		has_event = true;
	}
	if (has_event)
		out_notice(t->out,
			   "-x pystack: stacks of the kernel's events have no frames "
			   "of Python; those of profile-N and syscall have, in a "
			   "process that -c or -p names");
}
