/* SPDX-License-Identifier: MIT */
#include "tracer/dump/core_file.h"
#include "tracer/dump/core_map.h"
#include "tracer/dump/core_notes.h"

#include "vm/base/host/oom.h"
#include "vm/base/status.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCH	   256 /* pages that are read at once */
#define SMALL	   16  /* pages: read also if they are not in memory */
#define NOTES_MAX  (64 << 20)
#define MAP_DEVICE "/proc/%d/pagemap"

struct core_file {
	const struct core_source *source;
	int out;
	_Atomic uint64_t *progress;
	const atomic_bool *is_cancelled;
	struct core_map map;
	struct strbuf notes;
	int own, original; /* pagemaps of the copy and of the process */
	uint64_t at;	   /* end of what has been written */
	char *buf;	   /* BATCH pages */
	bool present[BATCH];
};

static int fail(struct err *e)
{
	return err_set(e, STATUS_IO, "%s", strerror(errno));
}

static int write_at(struct core_file *f, const void *data, size_t n, uint64_t at,
		    struct err *e)
{
	const char *p = data;

	for (size_t done = 0; done < n;) {
		ssize_t got = pwrite(f->out, p + done, n - done, (off_t)(at + done));

		if (got < 0 && errno != EINTR)
			return fail(e);
		done += got > 0 ? (size_t)got : 0;
	}
	return 0;
}

/* ---- memory ---- */

static bool is_zero(const char *p, size_t n)
{
	return !*p && memcmp(p, p + 1, n - 1) == 0;
}

/* A page that cannot be read (beyond the end of its file) is a hole. */
static void read_pages(struct core_file *f, uint64_t addr, size_t n)
{
	size_t bytes = n * CORE_PAGE;

	if (pread(f->source->mem, f->buf, bytes, (off_t)addr) == (ssize_t)bytes)
		return;
	for (size_t i = 0; i < n; i++)
		if (pread(f->source->mem, f->buf + i * CORE_PAGE, CORE_PAGE,
			  (off_t)(addr + i * CORE_PAGE)) != CORE_PAGE)
			memset(f->buf + i * CORE_PAGE, 0, CORE_PAGE);
}

/* Pages that are not zero, as many at once as follow each other. */
static int write_pages(struct core_file *f, size_t n, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc;) {
		size_t from = i;

		while (i < n && !is_zero(f->buf + i * CORE_PAGE, CORE_PAGE))
			i++;
		if (i > from)
			rc = write_at(f, f->buf + from * CORE_PAGE,
				      (i - from) * CORE_PAGE, f->at + from * CORE_PAGE,
				      e);
		else
			i++;
	}
	return rc;
}

/* The pages at addr of which some are present, with zeros for the others. */
static int copy_pages(struct core_file *f, uint64_t addr, size_t n, struct err *e)
{
	size_t i = 0;

	memset(f->buf, 0, n * CORE_PAGE);
	while (i < n) {
		size_t from = i;

		while (i < n && f->present[i])
			i++;
		if (i > from) {
			char *buf = f->buf;

			f->buf += from * CORE_PAGE;
			read_pages(f, addr + from * CORE_PAGE, i - from);
			f->buf = buf;
		} else {
			i++;
		}
	}
	return write_pages(f, n, e);
}

/* Which pages are read: to read an absent one may make it, and take memory. */
static bool choose_pages(struct core_file *f, const struct core_segment *s,
			 uint64_t addr, size_t n)
{
	const struct core_mapping *m = &f->map.mappings.data[s->mapping];

	if (s->hi - s->lo <= SMALL * CORE_PAGE) {
		memset(f->present, true, n);
		return true;
	}
	/* A fork copies no entries of what can be read from a file again. */
	return core_map_pages(m->is_shared || m->has_file ? f->original : f->own, addr,
			      n, true, f->present) ||
	       core_map_pages(f->own, addr, n, true, f->present);
}

static int write_segment(struct core_file *f, const struct core_segment *s,
			 struct err *e)
{
	int rc = 0;

	for (uint64_t addr = s->lo; addr < s->hi && !rc;) {
		size_t n = min_u64((s->hi - addr) / CORE_PAGE, BATCH);

		if (atomic_load(f->is_cancelled))
			return err_set(e, STATUS_GONE, "it was given up");
		if (!choose_pages(f, s, addr, n))
			return err_set(e, STATUS_GONE, "the copy has ended");
		rc = copy_pages(f, addr, n, e);
		addr += n * CORE_PAGE;
		f->at += n * CORE_PAGE;
		atomic_fetch_add(f->progress, 1);
	}
	return rc;
}

/* ---- the file ---- */

static uint64_t align(uint64_t v)
{
	return (v + CORE_PAGE - 1) & ~(uint64_t)(CORE_PAGE - 1);
}

static int read_notes(struct core_file *f, struct err *e)
{
	off_t size = lseek(f->source->notes, 0, SEEK_END);
	char *data;

	core_notes_of_process(&f->notes, f->source->pid, f->source->copy, &f->map);
	if (size <= 0 || size > NOTES_MAX)
		return err_set(e, STATUS_BADFMT, "its registers are not known");
	data = oom_realloc(NULL, (size_t)size);
	if (pread(f->source->notes, data, (size_t)size, 0) == size)
		strbuf_add(&f->notes, data, (size_t)size);
	else
		size = 0;
	free(data);
	return size ? 0 : err_set(e, STATUS_IO, "its registers are not known");
}

static Elf64_Phdr program_header(const struct core_file *f,
				 const struct core_segment *s, uint64_t offset)
{
	const struct core_mapping *m = &f->map.mappings.data[s->mapping];

	return (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = (m->is_readable ? PF_R : 0u) | (m->is_writable ? PF_W : 0u) |
			   (m->is_executable ? PF_X : 0u),
		.p_offset = offset,
		.p_vaddr = s->lo,
		.p_filesz = s->has_content ? s->hi - s->lo : 0,
		.p_memsz = s->hi - s->lo,
		.p_align = CORE_PAGE,
	};
}

static void add_headers(struct core_file *f, struct strbuf *out)
{
	uint16_t n = (uint16_t)(f->map.segments.len + 1);
	Elf64_Ehdr h = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_CORE,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(h),
		.e_ehsize = sizeof(h),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = n,
	};
	Elf64_Phdr notes = {.p_type = PT_NOTE,
			    .p_offset = sizeof(h) + n * sizeof(notes),
			    .p_filesz = f->notes.len,
			    .p_align = 4};
	uint64_t offset = align(notes.p_offset + notes.p_filesz);

	strbuf_add(out, (const char *)&h, sizeof(h));
	strbuf_add(out, (const char *)&notes, sizeof(notes));
	for (size_t i = 0; i < f->map.segments.len; i++) {
		Elf64_Phdr p = program_header(f, &f->map.segments.data[i], offset);

		strbuf_add(out, (const char *)&p, sizeof(p));
		offset += p.p_filesz;
	}
	strbuf_add(out, f->notes.data, f->notes.len);
	f->at = align(out->len);
}

static int write_core(struct core_file *f, struct err *e)
{
	struct strbuf head = {0};
	int rc;

	add_headers(f, &head);
	rc = write_at(f, head.data, head.len, 0, e);
	strbuf_release(&head);
	for (size_t i = 0; i < f->map.segments.len && !rc; i++)
		if (f->map.segments.data[i].has_content)
			rc = write_segment(f, &f->map.segments.data[i], e);
	if (!rc && ftruncate(f->out, (off_t)f->at) < 0)
		rc = fail(e);
	/* All that was read since it ended would be zeros. */
	if (!rc &&
	    pread(f->source->mem, f->buf, 1, (off_t)f->map.mappings.data[0].lo) <= 0)
		rc = err_set(e, STATUS_GONE, "the copy has ended");
	return rc;
}

static int open_pagemap(int pid)
{
	char path[64];

	snprintf(path, sizeof(path), MAP_DEVICE, pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

int core_file_write(const struct core_source *s, int out, _Atomic uint64_t *progress,
		    const atomic_bool *is_cancelled, struct err *e)
{
	struct core_file f = {.source = s,
			      .out = out,
			      .progress = progress,
			      .is_cancelled = is_cancelled,
			      .own = open_pagemap(s->copy),
			      .original = open_pagemap(s->pid)};
	int rc = core_map_read(&f.map, s->copy, e);

	f.buf = oom_realloc(NULL, BATCH * CORE_PAGE);
	if (!rc)
		rc = read_notes(&f, e);
	if (!rc)
		rc = write_core(&f, e);
	if (f.own >= 0)
		close(f.own);
	if (f.original >= 0)
		close(f.original);
	free(f.buf);
	strbuf_release(&f.notes);
	core_map_release(&f.map);
	return rc;
}
