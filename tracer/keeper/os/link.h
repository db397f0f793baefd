/* SPDX-License-Identifier: MIT */
/*
 * Messages to and from the front.
 */
#ifndef TRACER_KEEPER_OS_LINK_H
#define TRACER_KEEPER_OS_LINK_H

#include "tracer/keeper/keeper.h"
#include "vm/base/host/err.h"

struct link_incoming {
	struct keeper_msg msg;
	int fds[KEEPER_FDS_MAX]; /* msg.nfds of them; closed by link_close_fds() */
};

/* Memory that came with a request and how many bytes it is said to hold. */
struct sent {
	int fd;
	uint64_t bytes;
};

/* The next request without waiting: 1, 0 when there is none, STATUS_LINK at the end. */
int link_receive(int fd, struct link_incoming *out);
void link_close_fds(struct link_incoming *req);
/* pass: a descriptor to send along, or -1. STATUS_LINK when the front has gone. */
int link_send(int fd, const struct keeper_msg *msg, int pass);

#endif
