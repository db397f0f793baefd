/* SPDX-License-Identifier: MIT */
#include "tracer/dump/core_notes.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/procfs.h>
#include <unistd.h>

#define AUXV_MAX 4096

static void add_note(struct strbuf *out, uint32_t type, const void *data, size_t n)
{
	static const char zeros[4];
	const Elf64_Nhdr h = {
		.n_namesz = sizeof("CORE"), .n_descsz = (uint32_t)n, .n_type = type};

	strbuf_add(out, (const char *)&h, sizeof(h));
	strbuf_add(out, "CORE\0\0\0", 8);
	strbuf_add(out, data, n);
	strbuf_add(out, zeros, -n & 3);
}

/* The first bytes of a file of /proc; 0: it cannot be read. */
static size_t read_file(int pid, const char *name, void *buf, size_t n)
{
	char path[64];
	ssize_t got = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = read(fd, buf, n);
		close(fd);
	}
	return got > 0 ? (size_t)got : 0;
}

static void add_info(struct strbuf *out, int pid, int copy)
{
	struct elf_prpsinfo info = {.pr_sname = 'R', .pr_pid = pid};
	char args[ELF_PRARGSZ];
	size_t n = read_file(copy, "cmdline", args, sizeof(args) - 1);

	read_file(copy, "comm", info.pr_fname, sizeof(info.pr_fname) - 1);
	info.pr_fname[strcspn(info.pr_fname, "\n")] = '\0';
	for (size_t i = 0; i < n; i++)
		info.pr_psargs[i] = args[i] ? args[i] : ' ';
	add_note(out, NT_PRPSINFO, &info, sizeof(info));
}

/* The files that are mapped: number, page size, ranges with offsets in pages, names. */
static void add_files(struct strbuf *out, const struct core_map *map)
{
	struct strbuf note = {0}, names = {0};
	uint64_t head[2] = {0, CORE_PAGE};

	strbuf_add(&note, (const char *)head, sizeof(head));
	for (size_t i = 0; i < map->mappings.len; i++) {
		const struct core_mapping *m = &map->mappings.data[i];
		const uint64_t range[3] = {m->lo, m->hi, m->offset / CORE_PAGE};

		if (!m->has_file)
			continue;
		head[0]++;
		strbuf_add(&note, (const char *)range, sizeof(range));
		strbuf_add(&names, m->path, strlen(m->path) + 1);
	}
	memcpy(note.data, head, sizeof(head));
	strbuf_add(&note, names.data, names.len);
	add_note(out, NT_FILE, note.data, note.len);
	strbuf_release(&note);
	strbuf_release(&names);
}

void core_notes_of_process(struct strbuf *out, int pid, int copy,
			   const struct core_map *map)
{
	char auxv[AUXV_MAX];
	size_t n = read_file(copy, "auxv", auxv, sizeof(auxv));

	add_info(out, pid, copy);
	if (n)
		add_note(out, NT_AUXV, auxv, n);
	add_files(out, map);
}
