/* SPDX-License-Identifier: MIT */
/*
 * The notes of .note.stapsdt. The content of one (type 3, owner "stapsdt"):
 *
 *	8 bytes		address of the site
 *	8 bytes		address of .stapsdt.base when the file was linked
 *	8 bytes		address of the semaphore, or 0
 *	strings		provider, name, arguments, each with its zero byte
 *
 * If .stapsdt.base is somewhere else now (prelink), the addresses have moved with it.
 */
#include "symbols/notes/internal.h"

#include <stdlib.h>
#include <string.h>

#include "vm/base/bytes.h"
#include "vm/base/host/vec.h"

#define NOTE_TYPE     3
#define NOTE_OWNER    "stapsdt"
#define NOTES_MAX     65536	/* of one file */
#define SECTION_MAX   (1 << 24) /* bytes */
#define SECTIONS_MAX  256	/* with notes: one for each group of a linker */
#define ARGUMENTS_MAX 1024	/* bytes of the text */

struct reader {
	const struct elf_file *f;
	struct probe_notes *out;
	uint64_t base; /* of .stapsdt.base; 0: the file has none */
};

static bool is_inside(const Elf64_Phdr *p, uint64_t value, uint64_t n)
{
	return p->p_type == PT_LOAD && value >= p->p_vaddr && n <= p->p_memsz &&
	       value - p->p_vaddr <= p->p_memsz - n;
}

/* Whether the n bytes are in one segment that is mapped, and executable or not. */
static bool is_mapped(const struct elf_file *f, uint64_t value, uint64_t n,
		      bool is_code)
{
	for (size_t i = 0; i < f->nsegments; i++) {
		const Elf64_Phdr *p = &f->segments[i];

		if (is_inside(p, value, n) && (p->p_flags & PF_X ? 1 : 0) == is_code)
			return is_code || p->p_flags & PF_W;
	}
	return false;
}

static bool is_name(const char *s, size_t n)
{
	if (!n || n > PROBE_NOTE_NAME_MAX)
		return false;
	for (size_t i = 0; i < n; i++)
		if (s[i] <= ' ' || s[i] > '~' || strchr(":*?[]\\", s[i]))
			return false;
	return true;
}

/* The next string of the content, which ends before *n bytes do; NULL: there is none. */
static const char *next_string(const char **at, size_t *n, size_t *len)
{
	const char *s = *at;
	const char *end = memchr(s, '\0', *n);

	if (!end)
		return NULL;
	*len = (size_t)(end - s);
	*n -= *len + 1;
	*at = end + 1;
	return s;
}

static bool is_arguments(const char *s, size_t n)
{
	if (n > ARGUMENTS_MAX)
		return false;
	for (size_t i = 0; i < n; i++)
		if (s[i] < ' ' || s[i] > '~')
			return false;
	return true;
}

/* False: it is damaged. */
static bool add_note(struct reader *r, const char *content, size_t n)
{
	const size_t fixed = 3 * sizeof(uint64_t);
	struct probe_note note = {0};
	size_t provider, name, arguments;
	uint64_t moved;

	if (n < fixed)
		return false;
	note.pc = bytes_load(content, 8);
	moved = r->base ? r->base - bytes_load(content + 8, 8) : 0;
	note.semaphore = bytes_load(content + 16, 8);
	content += fixed;
	n -= fixed;
	note.provider = next_string(&content, &n, &provider);
	note.name = note.provider ? next_string(&content, &n, &name) : NULL;
	note.arguments = note.name ? next_string(&content, &n, &arguments) : NULL;
	if (!note.arguments || !is_name(note.provider, provider) ||
	    !is_name(note.name, name) || !is_arguments(note.arguments, arguments))
		return false;
	note.pc += moved;
	note.semaphore += note.semaphore ? moved : 0;
	if (!is_mapped(r->f, note.pc, 1, true) ||
	    (note.semaphore && !is_mapped(r->f, note.semaphore, 2, false)))
		return false;
	*vec_push(r->out) = note;
	return true;
}

/* The notes of a section of size bytes. A note whose size is wrong ends it. */
static void read_section(struct reader *r, const char *p, size_t size)
{
	while (size >= sizeof(Elf64_Nhdr) && r->out->len < NOTES_MAX) {
		Elf64_Nhdr h;
		size_t owner, content, left;

		memcpy(&h, p, sizeof(h));
		left = size - sizeof(h);
		owner = (size_t)align_up(h.n_namesz, UINT64_C(4));
		content = (size_t)align_up(h.n_descsz, UINT64_C(4));
		if (owner > left || h.n_descsz > left - owner) {
			r->out->nbad++;
			return;
		}
		p += sizeof(h);
		if (h.n_type == NOTE_TYPE && h.n_namesz == sizeof(NOTE_OWNER) &&
		    memcmp(p, NOTE_OWNER, sizeof(NOTE_OWNER)) == 0)
			r->out->nbad += !add_note(r, p + owner, h.n_descsz);
		content = (size_t)min_u64(content, left - owner);
		p += owner + content;
		size = left - owner - content;
	}
}

static bool has_notes(const struct elf_file *f, const Elf64_Shdr *s)
{
	return s->sh_type == SHT_NOTE && s->sh_size <= SECTION_MAX &&
	       !(s->sh_flags & SHF_COMPRESSED) &&
	       strcmp(elf_section_name(f, s), ".note.stapsdt") == 0;
}

void notes_read(const struct elf_file *f, struct probe_notes *out)
{
	const Elf64_Shdr *base = elf_section(f, SHT_PROGBITS, ".stapsdt.base");
	struct reader r = {f, out, base ? base->sh_addr : 0};
	size_t n = 0;

	for (size_t i = 0; i < f->nsections && n < SECTIONS_MAX; i++) {
		const Elf64_Shdr *s = &f->sections[i];
		char *text =
			has_notes(f, s) ? elf_read(f, s->sh_offset, s->sh_size) : NULL;

		if (!text)
			continue;
		n++;
		*vec_push(&out->texts) = text;
		read_section(&r, text, (size_t)s->sh_size);
	}
}

void probe_notes_release(struct probe_notes *notes)
{
	for (size_t i = 0; i < notes->texts.len; i++)
		free(notes->texts.data[i]);
	vec_release(&notes->texts);
	vec_release(notes);
	notes->nbad = notes->nlookups = 0;
}
