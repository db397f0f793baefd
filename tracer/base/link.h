/* SPDX-License-Identifier: MIT */
/*
 * The socket to the keeper, as dtrace sees it: starts the keeper, sends requests,
 * receives replies and events. The messages are in keeper/keeper.h.
 */
#ifndef TRACER_BASE_LINK_H
#define TRACER_BASE_LINK_H

#include "tracer/keeper/keeper.h"
#include "vm/base/host/err.h"

/* A message and the descriptors that came with it; -1: there is none. */
struct link_message {
	struct keeper_msg msg;
	int fd, second;
};

struct link {
	int fd;		  /* -1: no keeper */
	int pid;	  /* of the keeper, our child */
	int asked;	  /* about which process it was asked last; 0: about none */
	bool is_detained; /* it stays after the end, for threads asleep in the kernel */
	bool is_silent; /* the user waits for its replies no more: there are no others */
	bool is_calling; /* between link_send() and link_wait() */
	uint32_t serial;
	struct {
		uint32_t serial; /* 0: none was sent */
		bool has_come;
		struct keeper_msg reply;
	} ahead; /* link_send_ahead() */
	struct {
		struct link_message *data;
		size_t len, cap;
	} events; /* received while waiting for a reply; taken first */
};

/*
 * Starts the keeper: "probekeeper" in the directory of this program, or in
 * ../libexec/dtrace. STATUS_NOENT if there is no such file.
 */
int link_open(struct link *l, struct err *e);
/*
 * Closes the socket, upon which the keeper restores every target and exits, and waits
 * for that. The wait is short if the keeper is detained. Returns the process of one that
 * does not answer and has not ended: it is not killed, as that would kill targets of -c
 * and leave breakpoints in others. Else 0.
 */
int link_close(struct link *l);
/* The same for a keeper that was killed. Its events can still be taken. */
int link_bury(struct link *l);
/* Whether a signal has stopped it. From any thread. */
bool link_is_stopped(const struct link *l);
/* Continues a keeper that a signal has stopped; else nothing. From any thread. */
void link_continue(const struct link *l);

/*
 * Sends a request with nfds descriptors (not closed) and waits for its reply.
 * reply->status < 0 becomes the result, with its text in e. A descriptor that
 * came with the reply goes to *fd (caller closes), or is closed if fd is NULL.
 * reply may be NULL. STATUS_LINK: the keeper has gone. STATUS_BUSY: it does not answer,
 * and the user has given it up (AWAITED_TARGETS): no call will succeed any more. Once the
 * end of tracing has begun, a keeper that is stopped is continued.
 */
struct link_request {
	struct keeper_msg msg;
	int fds[KEEPER_FDS_MAX];
	int nfds;
};
int link_call(struct link *l, struct link_request *req, struct keeper_msg *reply,
	      int *fd, struct err *e);
/* The same in two steps. No other request may be sent between them. */
int link_send(struct link *l, struct link_request *req, struct err *e);
int link_wait(struct link *l, struct keeper_msg *reply, int *fd, struct err *e);
/*
 * A request whose reply, without a descriptor, is taken later: one at a time, while no
 * other one waits for its reply; other calls may come before link_wait_ahead().
 */
int link_send_ahead(struct link *l, struct link_request *req, struct err *e);
int link_wait_ahead(struct link *l, struct keeper_msg *reply, struct err *e);

/*
 * Takes the next event, without waiting: 1, 0 if there is none now, STATUS_LINK if the
 * keeper has gone. The caller closes out->fd and out->second unless they are -1.
 */
int link_event(struct link *l, struct link_message *out);

/* Closes the descriptors that came with a message. */
void link_close_descriptors(const struct link_message *m);

/*
 * A memory file of fixed size, closed to further seals. It holds data, and can then not
 * be written to any more; or zeros if data is NULL. Caller closes; -1: errno.
 */
int link_memfd(const void *data, size_t size);
/* One of zeros without seals, which the keeper adds. Caller closes; -1: errno. */
int link_open_memfd(size_t size);
/* Seals such a file, when it is filled, as one that holds data. -1: errno. */
int link_seal_memfd(int fd);

#endif
