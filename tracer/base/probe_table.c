/* SPDX-License-Identifier: MIT */
/*
 * The table only grows: a probe keeps its index (id - 1) for the whole run. The clauses
 * of a probe are in the order in which probes_enable() added them.
 *
 * It is written into the memory file that the keeper gets, and mapped from there: it is
 * large, and the machine of this process reads little of it.
 */
#include "tracer/base/probe_table.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A memory file that is written from its beginning to its end. */
struct table_file {
	int fd;
	bool is_failed; /* errno is set */
	off_t end;	/* of what was written */
	size_t n;	/* bytes that were not */
	char bytes[16384];
};

static void flush(struct table_file *f)
{
	size_t done = 0;

	while (done < f->n && !f->is_failed) {
		ssize_t n = pwrite(f->fd, f->bytes + done, f->n - done,
				   f->end + (off_t)done);

		f->is_failed = n <= 0;
		done += f->is_failed ? 0 : (size_t)n;
	}
	f->end += (off_t)f->n;
	f->n = 0;
}

static void add(struct table_file *f, const void *p, size_t n)
{
	const char *from = p;

	while (n) {
		size_t now = (size_t)min_u64(n, sizeof(f->bytes) - f->n);

		memcpy(f->bytes + f->n, from, now);
		f->n += now;
		from += now;
		n -= now;
		if (f->n == sizeof(f->bytes))
			flush(f);
	}
}

static size_t count_enablings(const struct probes *ps)
{
	size_t n = 0;

	for (size_t i = 0; i < ps->table.len; i++)
		n += ps->table.data[i].nenablings;
	return n;
}

static bool is_enabled(const struct probes *ps, uint32_t id)
{
	const struct probe *p = probes_get(ps, id);

	return p && p->nenablings > 0;
}

static struct vm_table describe(const struct tracer *t)
{
	const struct probes *ps = &t->probes;
	const size_t names = align_up(ps->names.len + VM_NAMES_REST, sizeof(uint32_t));
	struct vm_table table = {
		.nprobes = (uint32_t)ps->table.len,
		.nenablings = (uint32_t)count_enablings(ps),
		.names_size = (uint32_t)names,
		.noperands = (uint32_t)t->operands.len,
		.error = UINT32_MAX,
	};

	if (is_enabled(ps, PROBE_ERROR))
		table.error = PROBE_ERROR - 1;
	if (is_enabled(ps, t->diag.missed_ustack))
		table.missed_ustack = t->diag.missed_ustack;
	return table;
}

static size_t size_of(const struct vm_table *table, const struct tracer *t)
{
	return sizeof(*table) +
	       table->nprobes * (sizeof(struct vm_probe) + sizeof(struct vm_fullname)) +
	       table->nenablings * sizeof(struct vm_enabling) + table->names_size +
	       t->operands.len * sizeof(*t->operands.data);
}

static void write_table(struct table_file *f, const struct tracer *t,
			const struct vm_table *table)
{
	static const char zeros[VM_NAMES_REST + sizeof(uint32_t)];
	const struct probes *ps = &t->probes;
	uint32_t next = 0;

	add(f, table, sizeof(*table));
	for (size_t i = 0; i < ps->table.len; i++) {
		const struct probe *p = &ps->table.data[i];
		const struct vm_probe entry = {.id = p->id,
					       .first_enabling = next,
					       .nenablings = p->nenablings};

		add(f, &entry, sizeof(entry));
		next += entry.nenablings;
	}
	for (size_t i = 0; i < ps->table.len; i++) {
		const struct probe *p = &ps->table.data[i];

		add(f, probe_enablings(p), p->nenablings * sizeof(struct vm_enabling));
	}
	for (size_t i = 0; i < ps->table.len; i++)
		add(f, ps->table.data[i].name, sizeof(struct vm_fullname));
	add(f, ps->names.data, ps->names.len);
	add(f, zeros, table->names_size - ps->names.len);
	add(f, t->operands.data, t->operands.len * sizeof(*t->operands.data));
	flush(f);
}

void probe_table_release(struct tracer *t)
{
	if (t->table)
		munmap(t->table, t->table_size);
	t->table = NULL;
}

/* A new table, in place of the one before. *fd: its file; the caller closes it. */
static int build_table(struct tracer *t, int *fd, struct err *e)
{
	const struct vm_table table = describe(t);
	const size_t size = size_of(&table, t);
	struct table_file f = {.fd = link_open_memfd(size)};
	void *map = MAP_FAILED;

	if (f.fd >= 0)
		write_table(&f, t, &table);
	if (f.fd >= 0 && !f.is_failed && !link_seal_memfd(f.fd))
		map = mmap(NULL, size, PROT_READ, MAP_SHARED, f.fd, 0);
	if (map == MAP_FAILED) {
		err_errno(e, STATUS_NOMEM, "cannot make the probe table");
		if (f.fd >= 0)
			close(f.fd);
		return e->status;
	}
	probe_table_release(t);
	t->table = map;
	t->table_size = size;
	*fd = f.fd;
	return 0;
}

int probe_table_update(struct tracer *t, struct err *e)
{
	struct link_request req = {.msg = {.type = KEEPER_REQ_PROBES}, .nfds = 1};
	uint32_t nprobes = (uint32_t)t->probes.table.len;
	int rc;

	if (t->table && nprobes == t->table_probes &&
	    t->probes.nepids == t->table_epids && t->operands.len == t->table_operands)
		return 0;
	rc = build_table(t, &req.fds[0], e);
	if (rc)
		return rc;
	host_env_use(&t->host, t->table);
	t->table_probes = nprobes;
	t->table_epids = t->probes.nepids;
	t->table_operands = (uint32_t)t->operands.len;
	if (t->link.fd >= 0) {
		req.msg.memory.bytes = t->table_size;
		rc = link_call(&t->link, &req, NULL, NULL, e);
	}
	close(req.fds[0]);
	return rc;
}
