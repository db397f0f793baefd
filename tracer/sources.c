/* SPDX-License-Identifier: MIT */
/*
 * What fires without a site (keeper.h): which of the enabled probes the keeper
 * has to fire, and when.
 */
#include "tracer/trace.h"
#include "vm/base/host/vec.h"

#include <string.h>
#include <unistd.h>

struct siteless {
	struct keeper_siteless *data;
	size_t len, cap;
};

static bool is_source(const struct tracer *t, const struct probe *p,
		      struct keeper_siteless *out)
{
	const char *name = probes_name(&t->probes, p, PROBE_NAME);

	if (prov_profile_is_sampled(t, p)) {
		out->kind = KEEPER_SITELESS_PROFILE;
		out->value = prov_profile_interval(name);
		return true;
	}
	if (p->provider == &prov_proc) {
		out->kind = KEEPER_SITELESS_PROC;
		out->value = prov_proc_number(name);
		return true;
	}
	if (p->provider == &prov_syscall) {
		out->kind = strcmp(name, "entry") ? KEEPER_SITELESS_CALL_RETURN
						  : KEEPER_SITELESS_CALL_ENTRY;
		out->value =
			prov_syscall_number(probes_name(&t->probes, p, PROBE_FUNCTION));
		return true;
	}
	return false;
}

static void gather(const struct tracer *t, struct siteless *out)
{
	for (size_t i = 0; i < t->probes.table.len; i++) {
		const struct probe *p = &t->probes.table.data[i];
		struct keeper_siteless s = {.probe = p->id - 1};

		if (p->enablings.len == 0)
			continue;
		if (is_source(t, p, &s))
			*vec_push(out) = s;
	}
}

int trace_send_sources(struct tracer *t, struct err *e)
{
	struct link_request req = {.msg = {.type = KEEPER_REQ_SITELESS}, .nfds = 1};
	struct siteless list = {0};
	int rc = 0;

	gather(t, &list);
	if (list.len == 0 || t->link.fd < 0)
		goto out;
	req.msg.memory.bytes = list.len * sizeof(*list.data);
	req.fds[0] = link_memfd(list.data, req.msg.memory.bytes);
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
