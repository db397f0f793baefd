/* SPDX-License-Identifier: MIT */
#include "tracer/providers/siteless.h"
#include "vm/base/host/vec.h"

#include <unistd.h>

struct siteless {
	struct keeper_siteless *data;
	size_t len, cap;
};

static void gather(const struct tracer *t, struct siteless *out)
{
	for (size_t i = 0; i < t->probes.table.len; i++) {
		const struct probe *p = &t->probes.table.data[i];
		struct provider_source source;

		if (p->nenablings == 0 || !provider_has_source(p))
			continue;
		source = provider_source(t, p);
		if (source.by != SOURCE_KEEPER)
			continue;
		source.event.probe = p->id - 1;
		*vec_push(out) = source.event;
	}
}

int siteless_send(struct tracer *t, struct err *e)
{
	struct link_request req = {.msg = {.type = KEEPER_REQ_SITELESS}, .nfds = 1};
	struct siteless list = {0};
	int rc = 0;

	gather(t, &list);
	t->has_siteless = list.len > 0;
	if (list.len == 0 || t->link.fd < 0)
		goto out;
	req.msg.memory.bytes = list.len * sizeof(*list.data);
	req.fds[0] = link_memfd(list.data, req.msg.memory.bytes);
	if (req.fds[0] < 0) {
		rc = err_errno(e, STATUS_NOMEM,
			       "cannot make the table of siteless events");
		goto out;
	}
	rc = link_call(&t->link, &req, NULL, NULL, e);
	close(req.fds[0]);
out:
	vec_release(&list);
	return rc;
}
