/* SPDX-License-Identifier: MIT */
/*
 * The clients of --metrics, and how long each may take: for a request as a whole, however
 * it comes, for taking the answer, and between two requests. A new client is served at
 * once: if there are as many as may be, the one that has not ended its request for the
 * longest time has to go.
 */
#ifndef TRACER_EXPORT_CONNECTIONS_H
#define TRACER_EXPORT_CONNECTIONS_H

#include "vm/base/base.h"

#define CONNECTIONS_MAX	  8u
#define CONNECTIONS_SPARE 8u /* new ones, while those that have to go do so */

struct connection {
	int fd;
	uint64_t since, until; /* ns of CLOCK_MONOTONIC; until 0: it has to go */
	bool is_answered;      /* an answer is on its way */
};

struct connections {
	struct connection list[CONNECTIONS_MAX + CONNECTIONS_SPARE];
	uint32_t n;
};

/* A client has connected, or gone. */
void connections_add(struct connections *cs, int fd, uint64_t now);
void connections_remove(struct connections *cs, int fd);
/* The answer to a whole request is on its way; or taken, and another request may come. */
void connections_answer(struct connections *cs, int fd, bool is_on_its_way,
			uint64_t now);
/*
 * Ends the connections whose time is over; the server then finds them closed. Returns
 * when to call it again, UINT64_MAX: no need.
 */
uint64_t connections_expire(struct connections *cs, uint64_t now);

#endif
