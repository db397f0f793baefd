/* SPDX-License-Identifier: MIT */
/* -E: the programs run on a recording that exists. */
#include "tracer/events/events.h"
#include "tracer/events/origin.h"
#include "tracer/recording/read/recording.h"
#include "tracer/recording/replay/recorded_probes.h"
#include "tracer/trace.h"

#include <unistd.h>

bool trace_replays(const struct tracer *t)
{
	return t->options.recording && !t->recorder &&
	       access(t->options.recording, F_OK) == 0;
}

int trace_open_recording(struct tracer *t)
{
	struct origin *recording;
	struct err e;

	/* a listing writes no file: one that is not there is an error */
	if (t->is_past ||
	    !(trace_replays(t) || (t->options.recording && t->is_listing)))
		return 0;
	if (t->options.recordlive) {
		out_message(t->out, "-g records, but '%s' exists: choose a new file",
			    t->options.recording);
		return -1;
	}
	if (recording_open(t->options.recording, &recording, &e)) {
		out_message(t->out, "cannot replay '%s': %s", t->options.recording,
			    e.text);
		return -1;
	}
	origin_free(t->origin);
	t->origin = recording;
	t->serves_machine = t->is_past = true;
	if (recorded_probes_load(t, &e)) {
		out_message(t->out, "cannot replay '%s': %s", t->options.recording,
			    e.text);
		return -1;
	}
	return 0;
}

int trace_refuse_process(const struct tracer *t, struct err *e)
{
	if (!trace_replays(t))
		return 0;
	return err_set(e, STATUS_UNSUP,
		       "the programs run on the recording '%s', which has its own "
		       "processes: use a predicate such as /pid == 42/",
		       t->options.recording);
}

bool trace_report_damage(const struct tracer *t, const struct events *v)
{
	struct err e;

	if (!events_damage(v, &e))
		return false;
	out_message(t->out, "%s", e.text);
	return true;
}
