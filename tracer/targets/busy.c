/* SPDX-License-Identifier: MIT */
#include "tracer/targets/busy.h"
#include "tracer/output/out.h"
#include "tracer/targets/pending_sites.h"
#include "tracer/targets/target.h"
#include "vm/base/text/shown.h"

#include <string.h>

/* The description that has the probe; NULL: none. */
static const struct trace_spec *spec_of(const struct tracer *t, uint32_t probe)
{
	for (size_t i = 0; i < t->specs.len; i++)
		if (id_set_has(&t->specs.data[i].seen, probe))
			return &t->specs.data[i];
	return NULL;
}

void busy_report(struct tracer *t, const struct target *target, uint32_t probe)
{
	const struct trace_spec *spec = spec_of(t, probe);
	struct strbuf line = {0};

	if (!spec || spec->id || !pending_sites_can_be_resident(t, probe) ||
	    target_jumps(t, target) != KEEPER_REASON_NONE)
		return;
	if (target->is_named)
		strbuf_puts(&line, "fpid$target");
	else
		strbuf_printf(&line, "fpid%d", target->family);
	for (int i = 1; i < 4; i++) {
		strbuf_putc(&line, ':');
		shown_add(&line, spec->field[i], strlen(spec->field[i]), SHOWN_NAME);
	}
	out_remark(t->out,
		   "pid stops the thread at each event, here more than 5,000 times a "
		   "second; fpid gives the same by jumps: '%s'",
		   line.data);
	strbuf_release(&line);
}
