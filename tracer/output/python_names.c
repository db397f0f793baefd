/* SPDX-License-Identifier: MIT */
#include "tracer/output/python_names.h"
#include "vm/base/host/oom.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

struct python_names {
	const struct python_names_file *file;
};

int python_names_open(int fd, struct python_names **out, struct err *e)
{
	void *p = mmap(NULL, PYTHON_NAMES_MAX, PROT_READ, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return err_errno(e, STATUS_NOMEM,
				 "cannot map the names of Python frames");
	*out = oom_calloc(1, sizeof(**out));
	(*out)->file = p;
	return 0;
}

void python_names_close(struct python_names *n)
{
	if (!n)
		return;
	munmap((void *)(uintptr_t)n->file, PYTHON_NAMES_MAX);
	free(n);
}

struct python_name python_names_find(const struct python_names *n, uint64_t word)
{
	const struct python_name none = {"?", "?", 0};
	const uint64_t at = (word & UINT32_MAX) * 8;
	const struct python_name_entry *x;
	uint64_t size = sizeof(*x) + 2;
	uint32_t nfunction, nfile;

	if (!n || at < sizeof(*n->file) || at > PYTHON_NAMES_MAX - size)
		return none;
	x = (const void *)((const char *)n->file + at);
	nfunction = x->nfunction;
	nfile = x->nfile;
	size += nfunction + nfile;
	if (at > PYTHON_NAMES_MAX - size || x->text[nfunction] ||
	    x->text[nfunction + 1 + nfile])
		return none;
	return (struct python_name){x->text, x->text + nfunction + 1, x->line};
}

void python_name_add(struct strbuf *to, const char *function, const char *file,
		     uint64_t line)
{
	strbuf_printf(to, "%s (%s:", function, file);
	if (line)
		strbuf_printf(to, "%" PRIu64 ")", line);
	else
		strbuf_puts(to, "?)");
}

uint64_t python_names_lost(const struct python_names *n)
{
	return n ? atomic_load_explicit(&n->file->lost, memory_order_relaxed) : 0;
}
