/* SPDX-License-Identifier: MIT */
#include "tracer/mend.h"
#include "tracer/trace.h"

#include <unistd.h>

static int seize(struct link *l, int pid, struct err *e)
{
	struct link_request req = {.msg = {.type = KEEPER_REQ_SEIZE, .pid = pid}};

	return link_call(l, &req, NULL, NULL, e);
}

static int send_bytes(struct link *l, const struct target *target, struct err *e)
{
	struct link_request req = {
		.msg = {.type = KEEPER_REQ_MEND,
			.pid = target->pid,
			.a = target->jumped.len * sizeof(*target->jumped.data)},
		.nfds = 1};
	int rc;

	req.fds[0] = link_memfd(target->jumped.data, req.msg.a);
	if (req.fds[0] < 0)
		return err_errno(e, STATUS_NOMEM, "cannot make the table of bytes");
	rc = link_call(l, &req, NULL, NULL, e);
	close(req.fds[0]);
	return rc;
}

static void mend_one(struct tracer *t, const struct target *target)
{
	struct link l;
	struct err e;
	int rc = link_open(&l, &e);

	if (!rc) {
		rc = seize(&l, target->pid, &e);
		if (!rc)
			rc = send_bytes(&l, target, &e);
		link_close(&l);
	}
	/* One that died with the keeper, or at a breakpoint, needs nothing. */
	if (rc && rc != STATUS_GONE && rc != STATUS_NOENT)
		trace_error(t, "pid %d: the jumps to its probes stay, unused: %s",
			    target->pid, e.text);
}

void mend_targets(struct tracer *t)
{
	for (size_t i = 0; i < t->targets.len; i++) {
		const struct target *target = t->targets.data[i];

		/* One that was created is killed by the kernel. */
		if (target->jumped.len && target->mem_fd >= 0 && !target->created)
			mend_one(t, target);
	}
}
