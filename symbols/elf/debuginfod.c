/* SPDX-License-Identifier: MIT */
/*
 * The library is loaded when it is first needed: most runs fetch nothing, and a machine
 * may do without it. Its cache, time limits and servers are those of its environment
 * variables (debuginfod-client-config(7)).
 */
#include "symbols/elf/debuginfod.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/elf/budget.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/log.h"
#include "vm/base/host/shared_library.h"

#define LIBRARY "libdebuginfod.so.1"

struct debuginfod_client;

/* The functions of the library that are used. */
struct library {
	struct debuginfod_client *(*begin)(void);
	int (*find)(struct debuginfod_client *c, const unsigned char *id, int n,
		    char **path);
	void (*set_progress)(struct debuginfod_client *c,
			     int (*progress)(struct debuginfod_client *c, long done,
					     long all));
	void (*end)(struct debuginfod_client *c);
};

static bool load(struct library *l)
{
	const struct shared_function wanted[] = {
		{"debuginfod_begin", &l->begin},
		{"debuginfod_find_debuginfo", &l->find},
		{"debuginfod_set_progressfn", &l->set_progress},
		{"debuginfod_end", &l->end},
	};
	const char *why;

	if (shared_library_load(LIBRARY, wanted, ARRAY_LEN(wanted), &why))
		return true;
	log_debug("symbols", "%s cannot be used: %s", LIBRARY, why);
	return false;
}

static int ask_whether_over(struct debuginfod_client *c, long done, long all)
{
	(void)c;
	(void)done;
	(void)all;
	return budget_is_over();
}

static int fetch(const struct library *l, const uint8_t *id, size_t n)
{
	struct debuginfod_client *c = l->begin();
	int fd;

	if (!c)
		return -1;
	l->set_progress(c, ask_whether_over);
	fd = l->find(c, id, (int)n, NULL);
	l->end(c);
	return fd;
}

bool debuginfod_open(const struct elf_file *f, struct elf_file *out, uint64_t *ns)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	uint8_t id[ELF_BUILD_ID_MAX], own[ELF_BUILD_ID_MAX];
	uint64_t begin = clock_now_ns();
	struct library l;
	struct err e;
	size_t n;
	int fd;

	n = elf_build_id(f, id);
	if (!urls || !*urls || !n || !load(&l))
		return false;
	fd = fetch(&l, id, n);
	*ns = clock_now_ns() - begin;
	if (fd < 0 || elf_open(out, fd, "the file of debuginfod", &e))
		return false;
	if (elf_build_id(out, own) == n && memcmp(own, id, n) == 0)
		return true;
	elf_release(out);
	return false;
}
