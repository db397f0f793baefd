/* SPDX-License-Identifier: MIT */
/* A module of a file that no process needs to map. */
#include "symbols/symbols.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/internal.h"
#include "vm/base/host/oom.h"

static void set_extent(struct module *m, const struct elf_file *f)
{
	uint64_t lo = UINT64_MAX, hi = 0;

	for (size_t i = 0; i < f->nsegments; i++) {
		const Elf64_Phdr *p = &f->segments[i];

		if (p->p_type != PT_LOAD || p->p_memsz > UINT64_MAX - p->p_vaddr)
			continue;
		lo = min_u64(lo, p->p_vaddr);
		hi = max_u64(hi, p->p_vaddr + p->p_memsz);
	}
	if (lo < hi) {
		m->lo = module_address(m, lo);
		m->hi = module_address(m, hi);
	}
}

int module_read_file(const char *path, uint64_t bias, struct module **out,
		     struct err *e)
{
	const char *slash = strrchr(path, '/');
	struct elf_file f;
	struct module *m;
	struct stat st;
	int fd, status = file_open(path, &fd, e);

	if (status)
		return status;
	status = elf_open(&f, fd, path, e);
	if (status)
		return status;
	m = oom_calloc(1, sizeof(*m));
	m->internal = oom_calloc(1, sizeof(*m->internal));
	m->internal->is_file_only = true;
	m->internal->file.tid = getpid(); /* debug files are searched in our root */
	m->path = oom_strdup(path);
	m->name = oom_strdup(slash ? slash + 1 : path);
	m->soname = elf_soname(&f);
	m->bias = f.header.e_type == ET_EXEC ? 0 : bias;
	m->internal->file.path = m->path;
	if (fstat(f.fd, &st) == 0) {
		m->dev = st.st_dev;
		m->ino = st.st_ino;
	}
	set_extent(m, &f);
	elf_release(&f);
	*out = m;
	return 0;
}
