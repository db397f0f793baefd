/* SPDX-License-Identifier: MIT */
/*
 * Performs the actions of a record in dtrace: prints, runs commands, changes options
 * and aggregations. Formats are parsed once, at the start.
 */
#ifndef TRACER_CONSUME_ACTIONS_H
#define TRACER_CONSUME_ACTIONS_H

#include "tracer/consume/consume_config.h"
#include "tracer/output/form.h"
#include "tracer/trust/path_check.h"
#include "vm/base/host/map.h"
#include "vm/record.h"

struct record_check;

struct actions {
	const struct consumer_config *config; /* borrowed */
	struct agg_view *aggs;
	struct form *form;
	struct format *formats;	  /* by action; items only where it has one */
	struct format_args *args; /* by action: what stays the same */
	struct strbuf scratch;
	/* Formats the text of system(), freopen() and dump(); or NULL. */
	struct out *sink;
	uint64_t *literals;	 /* by action: literals.h */
	struct path_spans spans; /* of the path of a freopen() or dump() */
	bool has_refused_emit;	 /* an event of emit(): that is said once */
	struct map
		refused_dumps; /* pid -> 1: its limit was reached, and that was said */
	bool has_status;       /* exit() was performed */
	int status;
};

void actions_init(struct actions *as, const struct consumer_config *config,
		  struct record_check *check);
void actions_release(struct actions *as);

/*
 * Performs the items of a RECORD_DATA in order. Prints a message when one is
 * malformed.
 */
void actions_perform(struct actions *as, const struct form_record *x);

/* Whether the only action of a record, which was checked, is a printf(). */
bool actions_is_printf(const struct actions *as, const struct record *r);
/* Prints the text of such a record. */
void actions_print(struct actions *as, const struct record *r);

/* Appends "error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): ". */
void actions_put_enabling(const struct probes *ps, const struct record *r,
			  struct strbuf *text);

#endif
