/* SPDX-License-Identifier: MIT */
/*
 * Messages to and from the front (keeper.h), over a SOCK_SEQPACKET socket.
 */
#ifndef TRACER_KEEPER_OS_LINK_H
#define TRACER_KEEPER_OS_LINK_H

#include "tracer/keeper/keeper.h"
#include "vm/base/host/err.h"

struct link_incoming {
	struct keeper_msg msg;
	int fds[KEEPER_FDS_MAX]; /* msg.nfds of them; closed by link_close_fds() */
	bool lacks_fds;		 /* this process may not have as many as were sent */
};

/* A memfd that came with a request, and the size that the request gives for it. */
struct link_memory {
	int fd;
	uint64_t bytes;
};

/*
 * Receives the next request, if there is one, without waiting: 1; 0: there is none;
 * STATUS_LINK: the front has closed the socket. The caller closes the descriptors.
 */
int link_receive(int fd, struct link_incoming *out);
void link_close_fds(struct link_incoming *req);
/*
 * Sends a message with n descriptors, at most LINK_SENT_MAX; may wait until the front has
 * read others. STATUS_LINK when the front has gone.
 */
#define LINK_SENT_MAX 2
int link_send(int fd, const struct keeper_msg *msg, const int *files, uint32_t n);

/* Copies the memory into a new block, which the caller frees; NULL: *e says why not. */
void *link_copy(struct link_memory m, struct err *e);

#endif
