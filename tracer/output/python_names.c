/* SPDX-License-Identifier: MIT */
#include "tracer/output/python_names.h"
#include "vm/base/host/map.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#define RECORDED_MAX 1048576

struct python_names {
	const struct python_names_file *file; /* NULL: of a recording */
	struct map by_word;		      /* -> place in list */
	struct {
		struct recorded_name {
			char *function, *file;
			uint32_t line;
		} * data;
		size_t len, cap;
	} list;
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
	if (n->file)
		munmap((void *)(uintptr_t)n->file, PYTHON_NAMES_MAX);
	for (size_t i = 0; i < n->list.len; i++) {
		free(n->list.data[i].function);
		free(n->list.data[i].file);
	}
	vec_release(&n->list);
	map_release(&n->by_word);
	free(n);
}

struct python_names *python_names_new(void)
{
	return oom_calloc(1, sizeof(struct python_names));
}

void python_names_set(struct python_names *n, uint64_t word, const char *function,
		      const char *file, uint32_t line)
{
	if (n->list.len >= RECORDED_MAX || map_get(&n->by_word, word, NULL))
		return;
	map_set(&n->by_word, word, n->list.len);
	*vec_push(&n->list) =
		(struct recorded_name){oom_strdup(function), oom_strdup(file), line};
}

static bool find_recorded(const struct python_names *n, uint64_t word,
			  struct python_name *out)
{
	const struct recorded_name *x;
	uint64_t place;

	if (!map_get(&n->by_word, word, &place))
		return false;
	x = &n->list.data[place];
	*out = (struct python_name){x->function, x->file, x->line};
	return true;
}

struct python_name python_names_find(const struct python_names *n, uint64_t word)
{
	struct python_name none = {"?", "?", 0}; /* or what was recorded */
	const uint64_t at = (word & UINT32_MAX) * 8;
	const struct python_name_entry *x;
	uint64_t size = sizeof(*x) + 2;
	uint32_t nfunction, nfile;

	if (n && !n->file) {
		find_recorded(n, word, &none);
		return none;
	}
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
	return n && n->file ? atomic_load_explicit(&n->file->lost, memory_order_relaxed)
			    : 0;
}
