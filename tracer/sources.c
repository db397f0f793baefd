/* SPDX-License-Identifier: MIT */
/*
 * What fires without a site (keeper.h): which of the enabled probes the keeper
 * has to fire, and when.
 */
#include "tracer/trace.h"
#include "vm/base/host/vec.h"

#include <unistd.h>

struct sources {
	struct keeper_source *data;
	size_t len, cap;
};

static void gather(const struct tracer *t, struct sources *out)
{
	for (size_t i = 0; i < t->probes.table.len; i++) {
		const struct probe *p = &t->probes.table.data[i];
		const char *name = probes_name(&t->probes, p, PROBE_NAME);

		if (p->enablings.len == 0)
			continue;
		if (prov_profile_is_sampled(t, p))
			*vec_push(out) = (struct keeper_source){
				.probe = p->id - 1,
				.kind = KEEPER_SOURCE_PROFILE,
				.value = prov_profile_interval(name)};
	}
}

int trace_send_sources(struct tracer *t, struct err *e)
{
	struct link_request req = {.msg = {.type = KEEPER_REQ_SOURCES}, .nfds = 1};
	struct sources list = {0};
	int rc = 0;

	gather(t, &list);
	if (list.len == 0 || t->link.fd < 0)
		goto out;
	req.msg.a = list.len * sizeof(*list.data);
	req.fds[0] = link_memfd(list.data, req.msg.a);
	if (req.fds[0] < 0) {
		rc = err_errno(e, STATUS_NOMEM, "cannot make the table of sources");
		goto out;
	}
	rc = link_call(&t->link, &req, NULL, NULL, e);
	close(req.fds[0]);
out:
	vec_release(&list);
	return rc;
}
