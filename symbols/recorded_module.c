/* SPDX-License-Identifier: MIT */
/* A module of a mapping that a recording tells of. */
#include "symbols/symbols.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/internal.h"
#include "vm/base/host/oom.h"

#define PAGE 4096

/* Whether the file is the recorded one: by its build-id, else by its inode. */
static bool is_recorded(const struct elf_file *f, const struct recorded_code *c)
{
	uint8_t id[ELF_BUILD_ID_MAX];
	size_t n = elf_build_id(f, id);
	struct stat st;

	if (c->build_id_size)
		return n == c->build_id_size && memcmp(id, c->build_id, n) == 0;
	return c->inode && fstat(f->fd, &st) == 0 && st.st_ino == c->inode;
}

/* Opens path, if it is the recorded file. */
static bool open_recorded(const struct recorded_code *c, const char *path,
			  struct elf_file *f)
{
	struct err ignored;
	int fd;

	if (file_open(path, &fd, &ignored) || elf_open(f, fd, path, &ignored))
		return false;
	if (is_recorded(f, c))
		return true;
	elf_release(f);
	return false;
}

/* Run-time address - address in the file, by the segment that the mapping is of. */
static bool find_bias(const struct elf_file *f, const struct recorded_code *c,
		      uint64_t *bias)
{
	for (size_t i = 0; i < f->nsegments; i++) {
		const Elf64_Phdr *p = &f->segments[i];

		if (p->p_type != PT_LOAD || p->p_filesz > UINT64_MAX - p->p_offset ||
		    !(p->p_flags & PF_X) || c->offset < align_down(p->p_offset, PAGE) ||
		    c->offset >= p->p_offset + p->p_filesz)
			continue;
		*bias = c->lo.v - (p->p_vaddr + (c->offset - p->p_offset));
		return true;
	}
	return false;
}

/* It keeps its name, and has no symbols. */
static void close_tables(struct module *m)
{
	struct module_internal *in = m->internal;

	in->is_loaded = true;
	in->load_error = oom_calloc(1, sizeof(*in->load_error));
	in->load_status = err_set(in->load_error, STATUS_NOENT,
				  "'%s' is not the file that was recorded", m->path);
}

struct module *module_of_recorded(const struct recorded_code *c,
				  const struct module *like)
{
	const char *paths[] = {c->path, c->copy}, *slash = strrchr(c->path, '/');
	struct module *m = oom_calloc(1, sizeof(*m));
	struct elf_file f;
	bool is_found = false;
	size_t i = 0;

	m->internal = oom_calloc(1, sizeof(*m->internal));
	m->internal->is_file_only = true;
	m->internal->file.tid = getpid(); /* debug files are searched in our root */
	m->name = oom_strdup(slash && slash[1] ? slash + 1 : c->path);
	m->lo = c->lo;
	m->hi = taddr_of(c->lo.v + c->size);
	m->bias = c->lo.v - c->offset;
	for (; i < ARRAY_LEN(paths) && !is_found; i++)
		is_found =
			paths[i] && *paths[i] == '/' && open_recorded(c, paths[i], &f);
	m->path = oom_strdup(is_found ? paths[i - 1] : c->path);
	m->internal->file.path = m->path;
	if (is_found) {
		is_found = find_bias(&f, c, &m->bias);
		elf_release(&f);
	}
	if (is_found)
		module_join_file(m, like);
	else
		close_tables(m);
	return m;
}
