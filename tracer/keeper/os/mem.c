/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/faults.h"
#include "tracer/keeper/os/procfs.h"
#include "vm/base/host/map.h"
#include "vm/base/host/oom.h"
#include "vm/base/proc/procmem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is open, by its descriptor. Only the thread that traces uses it. */
static struct map opened;

static struct procmem *find(int fd)
{
	uint64_t v;

	return map_get(&opened, (uint64_t)fd, &v) ? (struct procmem *)(uintptr_t)v
						  : NULL;
}

int mem_open(int pid)
{
	struct procmem *m;
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = faults_due(FAULTS_FILE, 0) ? -1 : open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return errno == EACCES || errno == EPERM ? STATUS_PERM : STATUS_GONE;
	m = oom_calloc(1, sizeof(*m));
	procmem_init(m, pid, fd);
	map_set(&opened, (uint64_t)fd, (uint64_t)(uintptr_t)m);
	return fd;
}

void mem_close(int fd)
{
	struct procmem *m = find(fd);

	if (m)
		procmem_release(m);
	free(m);
	map_remove(&opened, (uint64_t)fd);
	if (!opened.len)
		map_release(&opened);
	close(fd);
}

int mem_read(int fd, taddr addr, void *buf, size_t n)
{
	struct procmem *m = find(fd);

	if (!m || faults_due(FAULTS_MEMORY, 0))
		return STATUS_FAULT;
	return procmem_read(m, addr.v, buf, n);
}

/* One of these pages alone may be there. */
static bool load_pages(struct mem_pages *p, uint64_t at, uint64_t n)
{
	int status = mem_read(p->fd, taddr_of(at), p->bytes, n);

	p->is_gone |= status == STATUS_GONE;
	p->at = at;
	p->n = status == 0 ? n : 0;
	return status == 0;
}

/* The pages of code around this one. */
static struct addr_range code_around(const struct mem_pages *p, uint64_t page)
{
	const uint64_t lo = align_down(page, MEM_PAGES);
	struct addr_range r = {taddr_of(page), taddr_of(page + MEM_PAGE)};
	const struct procfs_area *a = p->maps ? procfs_maps_find(p->maps, r.lo) : NULL;

	if (!a || !a->is_executable || a->is_writable)
		return r;
	r.lo = taddr_of(max_u64(lo, a->range.lo.v));
	r.hi = taddr_of(min_u64(lo + MEM_PAGES, a->range.hi.v));
	return r;
}

static bool is_loaded(const struct mem_pages *p, uint64_t at, size_t n)
{
	return at >= p->at && at - p->at < p->n && p->n - (at - p->at) >= n;
}

int mem_pages_read(struct mem_pages *p, taddr addr, void *buf, size_t n)
{
	const uint64_t page = align_down(addr.v, MEM_PAGE);
	struct addr_range code;

	if (addr.v - page + n > MEM_PAGE && !is_loaded(p, addr.v, n))
		return mem_read(p->fd, addr, buf, n);
	if (!is_loaded(p, addr.v, n)) {
		if (p->is_gone || (page && page == p->bad))
			return STATUS_FAULT;
		code = code_around(p, page);
		if (!load_pages(p, code.lo.v, code.hi.v - code.lo.v) &&
		    !load_pages(p, page, MEM_PAGE)) {
			p->bad = page;
			return STATUS_FAULT;
		}
	}
	memcpy(buf, p->bytes + (addr.v - p->at), n);
	return 0;
}

int mem_write(int fd, taddr addr, const void *buf, size_t n)
{
	struct procmem *m = find(fd);

	if (!m || faults_due(FAULTS_MEMORY, 0))
		return STATUS_FAULT;
	return procmem_write(m, addr.v, buf, n);
}

size_t mem_peek_some(int fd, taddr addr, void *buf, size_t n)
{
	struct procmem *m = find(fd);

	if (!m || faults_due(FAULTS_MEMORY, 0))
		return 0;
	return procmem_peek_some(m, addr.v, buf, n);
}

size_t mem_peek(int fd, taddr addr, void *buf, size_t n)
{
	struct procmem *m = find(fd);

	return m && !faults_due(FAULTS_MEMORY, 0) ? procmem_peek(m, addr.v, buf, n) : 0;
}

int mem_load(int fd, taddr addr, void *buf, size_t n)
{
	struct procmem *m = find(fd);

	if (!m || faults_due(FAULTS_MEMORY, 0))
		return STATUS_FAULT;
	return procmem_load(m, addr.v, buf, n);
}

int mem_poke(int fd, taddr addr, const void *buf, size_t n)
{
	struct procmem *m = find(fd);

	if (!m || faults_due(FAULTS_MEMORY, 0))
		return STATUS_FAULT;
	return procmem_poke(m, addr.v, buf, n);
}
