/* SPDX-License-Identifier: MIT */
#include "vm/base/proc/procmem.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/helper.h"
#include "vm/base/host/oom.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE	   4096
#define PEEK_PAGES 8 /* of one call */
#define LOOK_PAGES                                                                     \
	512	     /* of one look at the page map; longer accesses are for a helper */
#define REFILL_MS 20 /* for 1 ms */
#define LEAST_MS  20 /* a shorter wait is not worth a helper */

/* Bits of an element of /proc/PID/pagemap. */
#define PAGEMAP_PRESENT	  (UINT64_C(1) << 63)
#define PAGEMAP_FILE	  (UINT64_C(1) << 61) /* or shared anonymous memory */
#define PAGEMAP_PROTECTED (UINT64_C(1) << 57) /* userfaultfd gets writes */

enum action {
	ACTION_READ,  /* through /proc/PID/mem */
	ACTION_WRITE, /* through /proc/PID/mem */
	ACTION_PEEK,  /* process_vm_readv(2) */
	ACTION_POKE,  /* process_vm_writev(2) */
};

struct access {
	enum action action;
	int pid, mem;
	uint64_t addr;
	char *buf;
	size_t n;
};

/* Outlives the struct procmem while helpers are lost. */
struct procmem_lost {
	atomic_uint count, refs;
};

struct job {
	struct helper_job base;
	struct procmem_lost *lost;
	struct access access;
	ssize_t result;
	char bytes[];
};

void procmem_init(struct procmem *m, int pid, int mem)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/pagemap", pid);
	*m = (struct procmem){.pid = pid,
			      .mem = mem,
			      .pagemap =
				      mem < 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC),
			      .left_ms = PROCMEM_TOTAL_MS,
			      .at_ms = clock_now_ns() / 1000000,
			      .lost = oom_calloc(1, sizeof(*m->lost))};
	atomic_init(&m->lost->refs, 1);
}

static void unref(struct procmem_lost *lost)
{
	if (lost && atomic_fetch_sub(&lost->refs, 1) == 1)
		free(lost);
}

void procmem_release(struct procmem *m)
{
	if (m->pagemap >= 0)
		close(m->pagemap);
	m->pagemap = -1;
	unref(m->lost);
	m->lost = NULL;
}

/* How many bytes were accessed before the first page that cannot be. */
static size_t access_vm(const struct access *a)
{
	size_t done = 0;

	while (done < a->n) {
		struct iovec local = {a->buf + done, 0};
		struct iovec remote[PEEK_PAGES];
		unsigned pages = 0;
		ssize_t r;

		/* A failing transfer stops at the end of an iovec: each is one page. */
		for (; pages < PEEK_PAGES && done + local.iov_len < a->n; pages++) {
			uint64_t at = a->addr + done + local.iov_len;
			size_t part =
				min_u64(a->n - done - local.iov_len, PAGE - at % PAGE);

			remote[pages] = (struct iovec){(void *)(uintptr_t)at, part};
			local.iov_len += part;
		}
		r = a->action == ACTION_POKE
			    ? process_vm_writev(a->pid, &local, 1, remote, pages, 0)
			    : process_vm_readv(a->pid, &local, 1, remote, pages, 0);
		if (r > 0)
			done += (size_t)r;
		if (r <= 0 || (size_t)r < local.iov_len)
			break;
	}
	return done;
}

/* The number of bytes, or a negative status. */
static ssize_t access_mem(const struct access *a)
{
	size_t done = 0;

	while (done < a->n) {
		off_t at = (off_t)(a->addr + done);
		ssize_t r = a->action == ACTION_WRITE
				    ? pwrite(a->mem, a->buf + done, a->n - done, at)
				    : pread(a->mem, a->buf + done, a->n - done, at);

		if (r > 0)
			done += (size_t)r;
		else if (r == 0)
			return STATUS_GONE; /* the address space has no user left */
		else if (errno != EINTR)
			return done && a->action == ACTION_READ ? (ssize_t)done
								: STATUS_FAULT;
	}
	return (ssize_t)done;
}

static ssize_t access_now(const struct access *a)
{
	return a->action == ACTION_READ || a->action == ACTION_WRITE
		       ? access_mem(a)
		       : (ssize_t)access_vm(a);
}

/*
 * An access through /proc/PID/mem sleeps uninterruptibly for a file, and would keep the
 * process that makes it from ending. So the pages are brought in before, by a call that
 * SIGKILL interrupts.
 */
static void bring_in(const struct access *a)
{
	for (uint64_t at = a->addr; at < a->addr + a->n; at += PAGE - at % PAGE) {
		char byte;
		const struct access one = {ACTION_PEEK, a->pid, -1, at, &byte, 1};

		access_vm(&one);
	}
}

static void run(struct helper_job *base)
{
	struct job *job = (struct job *)base;

	if (job->access.mem >= 0)
		bring_in(&job->access);
	job->result = access_now(&job->access);
}

static void free_job(struct job *job)
{
	if (job->access.mem >= 0)
		close(job->access.mem);
	atomic_fetch_sub(&job->lost->count, 1);
	unref(job->lost);
	free(job);
}

static void drop(struct helper_job *base)
{
	free_job((struct job *)base);
}

/* How long the process may be waited for; 0: not at all. */
static unsigned patience(struct procmem *m)
{
	uint64_t now = clock_now_ns() / 1000000, back = (now - m->at_ms) / REFILL_MS;

	m->at_ms += back * REFILL_MS;
	m->left_ms = min_u64(m->left_ms + back, PROCMEM_TOTAL_MS);
	if (m->left_ms < LEAST_MS || atomic_load(&m->lost->count) >= PROCMEM_LOST_MAX)
		return 0;
	return (unsigned)min_u64(m->left_ms, PROCMEM_ONCE_MS);
}

/* With a buffer and a descriptor of its own. */
static struct job *new_job(struct procmem *m, const struct access *a)
{
	struct job *job = oom_calloc(1, sizeof(*job) + a->n);

	job->base = (struct helper_job){.run = run, .drop = drop};
	job->lost = m->lost;
	atomic_fetch_add(&m->lost->refs, 1);
	atomic_fetch_add(&m->lost->count, 1);
	job->access = *a;
	job->access.buf = job->bytes;
	job->access.mem = a->mem < 0 ? -1 : fcntl(a->mem, F_DUPFD_CLOEXEC, 0);
	return job;
}

static bool is_write(const struct access *a)
{
	return a->action == ACTION_WRITE || a->action == ACTION_POKE;
}

static ssize_t access_by_helper(struct procmem *m, const struct access *a)
{
	unsigned ms = patience(m);
	struct job *job;
	ssize_t result = STATUS_FAULT;
	int status;

	if (!ms)
		return STATUS_FAULT;
	job = new_job(m, a);
	if (is_write(a))
		memcpy(job->bytes, a->buf, a->n);
	status = helper_run(&job->base, ms);
	if (status == STATUS_BUSY) {
		m->left_ms -= min_u64(m->left_ms, ms);
		return STATUS_FAULT;
	}
	m->left_ms -= min_u64(m->left_ms, job->base.slept_ns / 1000000);
	if (status == STATUS_NOMEM) /* a machine without threads */
		run(&job->base);
	if (status != STATUS_LIMIT)
		result = job->result;
	if (result > 0 && !is_write(a))
		memcpy(a->buf, job->bytes, (size_t)result);
	free_job(job);
	return result;
}

/*
 * How many bytes from the first on are on pages that the page map shows as present, and
 * with none of these bits.
 */
static size_t present_bytes(const struct procmem *m, const struct access *a,
			    uint64_t unless)
{
	uint64_t first = a->addr / PAGE, last = (a->addr + a->n - 1) / PAGE, i = 0;
	size_t bytes = min_u64(last - first + 1, LOOK_PAGES) * sizeof(first);
	uint64_t page[LOOK_PAGES];

	if (m->pagemap < 0 || m->mem < 0 ||
	    pread(m->pagemap, page, bytes, (off_t)(first * 8)) != (ssize_t)bytes)
		return 0;
	while (i < bytes / 8 && page[i] & PAGEMAP_PRESENT && !(page[i] & unless))
		i++;
	return i ? min_u64(a->n, i * PAGE - a->addr % PAGE) : 0;
}

/* The number of bytes, or a negative status. */
static ssize_t access_any(struct procmem *m, const struct access *a, uint64_t unless)
{
	if (!a->n || a->addr + a->n < a->addr)
		return 0;
	return present_bytes(m, a, unless) == a->n ? access_now(a)
						   : access_by_helper(m, a);
}

int procmem_read(struct procmem *m, uint64_t addr, void *buf, size_t n)
{
	const struct access a = {ACTION_READ, m->pid, m->mem, addr, buf, n};
	ssize_t got = access_any(m, &a, 0);

	return got < 0 ? (int)got : (size_t)got == n ? 0 : STATUS_FAULT;
}

int procmem_write(struct procmem *m, uint64_t addr, const void *buf, size_t n)
{
	const struct access a = {ACTION_WRITE,		 m->pid, m->mem, addr,
				 (char *)(uintptr_t)buf, n};
	ssize_t got = access_any(m, &a, 0);

	return got < 0 ? (int)got : (size_t)got == n ? 0 : STATUS_FAULT;
}

size_t procmem_peek_some(struct procmem *m, uint64_t addr, void *buf, size_t n)
{
	struct access a = {ACTION_READ, m->pid, m->mem, addr, buf, n};
	ssize_t got;

	if (!n || addr + n < addr)
		return 0;
	a.n = present_bytes(m, &a, 0);
	if (a.n)
		got = access_now(&a);
	else
		got = access_by_helper(
			m, &(struct access){ACTION_PEEK, m->pid, -1, addr, buf, n});
	return got < 0 ? 0 : (size_t)got;
}

size_t procmem_peek(struct procmem *m, uint64_t addr, void *buf, size_t n)
{
	size_t done = 0, got;

	do {
		got = procmem_peek_some(m, addr + done, (char *)buf + done, n - done);
		done += got;
	} while (got && done < n);
	return done;
}

int procmem_load(struct procmem *m, uint64_t addr, void *buf, size_t n)
{
	const struct access a = {ACTION_PEEK, m->pid, -1, addr, buf, n};

	return access_any(m, &a, 0) == (ssize_t)n ? 0 : STATUS_FAULT;
}

int procmem_poke(struct procmem *m, uint64_t addr, const void *buf, size_t n)
{
	const struct access a = {
		ACTION_POKE, m->pid, -1, addr, (char *)(uintptr_t)buf, n};

	return access_any(m, &a, PAGEMAP_FILE | PAGEMAP_PROTECTED) == (ssize_t)n
		       ? 0
		       : STATUS_FAULT;
}

size_t procmem_peek_once(int pid, uint64_t addr, void *buf, size_t n)
{
	struct procmem m;
	size_t got;

	procmem_init(&m, pid, -1);
	got = procmem_peek(&m, addr, buf, n);
	procmem_release(&m);
	return got;
}
