/* SPDX-License-Identifier: MIT */
/*
 * The text of /proc/PID/maps, as dtrace and its keeper read it: a process names its
 * files and its memory as it likes, and maps what it likes. The files that it names are
 * made up: which one a line has is reported by its inode number.
 *
 * The same input is a list of link maps as well, in the memory of this process: each
 * word is a pointer to one of them, to their lists, or to anything.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/maps.h"
#include "tracer/keeper/os/procfs.h"
#include "tracer/targets/linkmap.h"
#include "tracer/targets/target.h"

#define NOBODY	    INT32_MAX /* a thread that does not exist */
#define SEGMENTS    4
#define LINES_MAX   (FUZZ_INPUT_MAX / 8)
#define ANSWERS_MAX 3

struct segment {
	uint32_t flags;
	uint64_t offset, vaddr, size;
};

/* What programs look like, and what none does. */
static const struct segment layouts[][SEGMENTS] = {
	{{PF_R, 0, 0, 0x1000},
	 {PF_R | PF_X, 0x1000, 0x1000, 0x2000},
	 {PF_R, 0x3000, 0x3000, 0x800},
	 {PF_R | PF_W, 0x3d00, 0x4d00, 0x300}},
	{{PF_R, 0, 0x400000, 0x1000},
	 {PF_R | PF_X, 0x1000, 0x401000, 0x2000},
	 {PF_R | PF_W, 0x2ff0, 0x403ff0, 0x10}},
	{{PF_R | PF_X, 0, UINT64_MAX - 0xfff, UINT64_MAX},
	 {PF_R | PF_X, UINT64_MAX - 0xfff, 0, 0xfff},
	 {PF_R | PF_X, 1, 1, UINT64_MAX - 1}},
	{{PF_R | PF_X, 0, 0, 0x4000},
	 {PF_R | PF_X, 0, 0x10000, 0x4000},
	 {PF_R | PF_X | PF_W, 0x1000, 0x1000, 0},
	 {PF_X, 0x2000, 0x123456789000, 1}},
};

static int make_file(const struct segment *of)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segments[SEGMENTS];
	} f = {.header = {.e_ident = ELFMAG "\2\1\1",
			  .e_type = ET_DYN,
			  .e_machine = EM_X86_64,
			  .e_version = EV_CURRENT,
			  .e_phoff = sizeof(Elf64_Ehdr),
			  .e_ehsize = sizeof(Elf64_Ehdr),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = SEGMENTS}};
	int fd = memfd_create("object", MFD_CLOEXEC);

	for (size_t i = 0; i < SEGMENTS; i++)
		f.segments[i] = (Elf64_Phdr){.p_type = PT_LOAD,
					     .p_flags = of[i].flags,
					     .p_offset = of[i].offset,
					     .p_vaddr = of[i].vaddr,
					     .p_filesz = of[i].size,
					     .p_memsz = of[i].size};
	assert(fd >= 0 && write(fd, &f, sizeof(f)) == sizeof(f));
	return fd;
}

/* By the inode: a program, a file that is none, one that may not be opened. */
static int open_made(const struct mapped_file *m, int *fd, struct err *e)
{
	size_t n = m->ino % (ARRAY_LEN(layouts) + 3);

	*fd = -1;
	if (n < ARRAY_LEN(layouts))
		*fd = make_file(layouts[n]);
	else if (n == ARRAY_LEN(layouts))
		*fd = memfd_create("text", MFD_CLOEXEC);
	else if (n == ARRAY_LEN(layouts) + 1)
		return err_set(e, STATUS_PERM, "'%s' is not ours", m->path);
	else
		return err_set(e, STATUS_INVAL, "'%s' is no file", m->path);
	assert(*fd >= 0);
	return 0;
}

struct found {
	size_t n, parts;
};

static void count(void *ctx, struct module *m)
{
	struct found *found = ctx;

	assert(m->name && m->path);
	found->n++;
	found->parts += m->is_part;
}

static void look_at(const struct modules *ms, const struct module *m)
{
	const struct module *at = modules_at(ms, m->lo);
	struct found found = {0};

	assert(m->lo.v < m->hi.v && !strchr(m->name, '/'));
	assert(at && taddr_in(m->lo, at->lo, at->hi));
	/* what holds an address begins last of all that do */
	assert(at->lo.v == m->lo.v);
	assert(modules_select(ms, m->name, count, &found) == found.n);
	/* a part goes by the name of its whole */
	assert(strpbrk(m->name, "*?[\\`") || !m->name[0] || m->is_part ||
	       found.n - found.parts == 1);
}

static void look_at_modules(struct modules *ms)
{
	static const char *const fields[] = {"",     "*", "a.out", "lib*",
					     "libc", "/", "?"};
	const char *near[ANSWERS_MAX];
	struct err e = {0};

	for (size_t i = 0; i < ms->len; i++) {
		assert(!i || ms->data[i - 1]->lo.v <= ms->data[i]->lo.v);
		look_at(ms, ms->data[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		struct found found = {0};

		assert(modules_select(ms, fields[i], count, &found) == found.n);
		assert(i > 1 || found.n == ms->len);
		modules_nearest(ms, fields[i], near, ANSWERS_MAX);
	}
	if (ms->len) /* its file is out of reach */
		assert(module_load_symbols(ms->data[0], &e) || ms->data[0]->is_vdso);
}

/* ---- link maps ---- */

#define LINKS 64

/* As in newer <link.h>. */
struct extended {
	struct r_debug base;
	uint64_t next;
};

static struct link_map links[LINKS];
static struct extended lists[LINKS];

/* Where the i-th pointer leads: mostly to one of ours. */
static uint64_t pointer(const uint8_t *data, size_t n, size_t i, bool is_list)
{
	uint8_t byte = data[i % n];

	if (byte < 16)
		return 0;
	if (byte < 24)
		return (uint64_t)byte << (byte % 8) * 8;
	return is_list ? (uintptr_t)&lists[byte % LINKS]
		       : (uintptr_t)&links[byte % LINKS];
}

static void make_links(const uint8_t *data, size_t n, const struct modules *ms)
{
	for (size_t i = 0; i < LINKS; i++) {
		uint64_t first = pointer(data, n, 4 * i, false);
		uint64_t next = pointer(data, n, 4 * i + 1, false);
		uint64_t dynamic = ms->len ? ms->data[data[i % n] % ms->len]->lo.v : 0;

		memcpy(&lists[i].base.r_map, &first, sizeof(first));
		memcpy(&links[i].l_next, &next, sizeof(next));
		memcpy(&links[i].l_ld, &dynamic, sizeof(dynamic));
		lists[i].base.r_version = 1 + data[(4 * i + 2) % n] % 4;
		lists[i].next = pointer(data, n, 4 * i + 3, true);
	}
}

static void read_links(const uint8_t *data, size_t n, struct modules *ms)
{
	static struct procmem memory;
	static bool is_open;
	struct target target = {.pid = getpid(), .memory = &memory};

	if (!n)
		return;
	if (!is_open)
		procmem_init(&memory, getpid(),
			     open("/proc/self/mem", O_RDONLY | O_CLOEXEC));
	is_open = true;
	make_links(data, n, ms);
	target.r_debug = taddr_of((uintptr_t)&lists[0]);
	linkmap_name_modules(&target, ms);
	linkmap_is_consistent(&target);
	for (size_t i = 0; i < ms->len; i++)
		assert(!ms->data[i]->link_map ||
		       (ms->data[i]->link_map < LINKS &&
			strncmp(ms->data[i]->name, "LM", 2) == 0));
}

static void read_as_front(const uint8_t *data, size_t n)
{
	struct maps_text from = {.tid = NOBODY,
				 .exe_ino = 1,
				 .exe_path = "/usr/bin/program",
				 .open = open_made};
	struct modules *ms;

	from.text = strndup((const char *)data, n);
	assert(from.text);
	ms = maps_modules(&from);
	free(from.text);
	look_at_modules(ms);
	read_links(data, n, ms);
	modules_free(ms);
}

static void read_as_keeper(uint8_t *data, size_t n)
{
	struct procfs_maps maps = {0};
	FILE *f = n ? fmemopen(data, n, "r") : NULL;

	if (!f)
		return;
	procfs_maps_read(f, &maps);
	fclose(f);
	assert(maps.len <= LINES_MAX);
	for (size_t i = 0; i < maps.len; i++) {
		struct addr_range r = maps.data[i].range;
		const struct procfs_area *a = procfs_maps_find(&maps, r.lo);

		assert(r.lo.v < r.hi.v);
		assert(!i || maps.data[i - 1].range.hi.v <= r.lo.v);
		assert(a == &maps.data[i]);
	}
	procfs_maps_release(&maps);
}

void fuzz_one(const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n + !n);

	assert(copy);
	memcpy(copy, data, n);
	read_as_front(data, n);
	read_as_keeper(copy, n);
	free(copy);
}
