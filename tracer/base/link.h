/* SPDX-License-Identifier: MIT */
/*
 * The front's end of the conversation with the keeper (keeper/keeper.h).
 */
#ifndef TRACER_BASE_LINK_H
#define TRACER_BASE_LINK_H

#include "tracer/keeper/keeper.h"
#include "vm/base/host/err.h"

/* A message and the descriptor that came with it, or -1. */
struct link_message {
	struct keeper_msg msg;
	int fd;
};

struct link {
	int fd;		  /* -1: no keeper */
	int pid;	  /* of the keeper, our child */
	bool is_detained; /* it stays after the end for threads that sleep */
	uint32_t serial;
	struct {
		struct link_message *data;
		size_t len, cap;
	} events; /* that came while a reply was awaited */
};

/*
 * Starts the keeper: "probekeeper" beside this program, or in
 * ../libexec/dtrace. NOENT when it is not there.
 */
int link_open(struct link *l, struct err *e);
/*
 * Closes the socket: the keeper restores every target and ends; waits for that, unless
 * it is detained by a thread that sleeps uninterruptibly.
 */
void link_close(struct link *l);
/* The same of a keeper that died: then its threads are traced no more. Events stay. */
void link_bury(struct link *l);

/*
 * Sends a request with nfds descriptors (not closed) and waits for its reply.
 * reply->status < 0 becomes the result, with its text in e. A descriptor that
 * came with the reply goes to *fd (caller closes), or is closed if fd is NULL.
 * STATUS_LINK: the keeper has gone.
 */
struct link_request {
	struct keeper_msg msg;
	int fds[KEEPER_FDS_MAX];
	int nfds;
};
int link_call(struct link *l, struct link_request *req, struct keeper_msg *reply,
	      int *fd, struct err *e);

/*
 * The next event: 1, 0 when there is none now, STATUS_LINK when the keeper has
 * gone. The caller closes out->fd unless it is -1.
 */
int link_event(struct link *l, struct link_message *out);

/* A sealed-in-size memory file holding data (may be NULL: zeros). -1 with errno. */
int link_memfd(const void *data, size_t size);

#endif
