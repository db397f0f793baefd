/* SPDX-License-Identifier: MIT */
/*
 * What a process asks of dtrace by a word of the memory that they share (struct exchange
 * in vm/block/layout.h). The process can write any of these words at any time. A request
 * is believed only where a clause that makes it can run: the code of the clause makes it,
 * and its probe can fire inside that process. So a process ends the run only if the
 * program has an exit() for this very process.
 *
 * Actions that come with a record (system(), dump(), emit(), the status of exit() ...)
 * have no word: record_check.h looks at each record.
 *
 * How to add a request: a name in enum request, and a row of the table `kinds` in
 * requests.c that says which clauses make it. Ask sources_believe() wherever the word is
 * read. Limits of what a request costs are counted for each process: see snapshots.c.
 */
#ifndef TRACER_TRUST_REQUESTS_H
#define TRACER_TRUST_REQUESTS_H

#include "tracer/base/probe.h"

enum request {
	REQUEST_STOP, /* exchange.stop: exit(), or a full buffer that ends tracing */
	REQUEST_SNAPSHOT, /* exchange.snapshots: snapshot() */
	REQUEST_COUNT
};

struct requests_config {
	const void *image;	     /* borrowed, verified */
	const struct probes *probes; /* borrowed */
	bool full_stops; /* a buffer without room for a record ends tracing */
	/* As in struct record_check_config. */
	bool (*fires_inside)(void *ctx, uint32_t pid, const struct probe *p);
	void *ctx;
};

struct requests {
	struct requests_config config;
	uint32_t *made; /* by clause: a bit for each request that it makes */
	uint32_t all;	/* of all clauses */
};

/*
 * What is known of one process. A zeroed struct knows nothing. An answer of true lasts;
 * one of false lasts until there are more probes.
 */
struct request_grants {
	uint32_t granted, refused; /* bits */
	size_t nprobes;		   /* that there were at the last refusal */
};

void requests_init(struct requests *r, const struct requests_config *config);
void requests_release(struct requests *r);

/* Whether a clause that can run inside the process makes the request. */
bool requests_are_made(const struct requests *r, enum request what, uint32_t pid,
		       struct request_grants *known);

#endif
