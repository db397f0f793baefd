/* SPDX-License-Identifier: MIT */
/*
 * Reads ELF files that may be damaged or malicious. libelf is not used: the tests
 * cannot instrument what it does with a hostile file, and only a few small tables are
 * needed.
 */
#include "symbols/elf/elf.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/elf/machine.h"
#include "vm/base/host/log.h"
#include "vm/base/host/oom.h"

/* Far above those of any real program; some walks are over each of them. */
#define SEGMENTS_MAX	  4096
#define LOADS_MAX	  256 /* segments that are mapped */
#define SECTIONS_MAX	  65536
#define SECTION_NAMES_MAX (1 << 24)
#define NOTES_MAX	  (1 << 20) /* bytes of one section */
#define NAME_LINK_MAX	  4096
#define PIECE		  (1 << 24) /* bytes between two looks at budget_is_over() */

bool elf_read_at(const struct elf_file *f, void *buf, uint64_t offset, size_t size)
{
	char *to = buf;

	if (offset > f->size || size > f->size - offset)
		return false;
	while (size) {
		ssize_t n = pread(f->fd, to, min_u64(size, PIECE), (off_t)offset);

		if (n < 0 && errno == EINTR && !budget_is_over())
			continue;
		if (n <= 0 || (size > PIECE && budget_is_over()))
			return false;
		to += n;
		offset += (uint64_t)n;
		size -= (size_t)n;
	}
	return true;
}

/* What is at the offset, for the message that it is not read; else it does not matter. */
static const char *name_at(const struct elf_file *f, uint64_t offset, uint64_t size)
{
	bool is_refused = size > f->budget->max - f->budget->spent;

	for (size_t i = 0; i < f->nsections && is_refused; i++) {
		const char *name = elf_section_name(f, &f->sections[i]);

		if (f->sections[i].sh_offset == offset && name[0] == '.')
			return name;
	}
	return "a part of it";
}

bool elf_claim(const struct elf_file *f, uint64_t offset, uint64_t size)
{
	return offset <= f->size && size <= f->size - offset &&
	       budget_take(f->budget, size, name_at(f, offset, size));
}

void *elf_read(const struct elf_file *f, uint64_t offset, uint64_t size)
{
	char *data;

	if (!elf_claim(f, offset, size))
		return NULL;
	data = malloc((size_t)size + 1);
	if (!data)
		return NULL;
	if (!elf_read_at(f, data, offset, (size_t)size)) {
		free(data);
		return NULL;
	}
	data[size] = '\0';
	return data;
}

/* What a file is opened for. */
enum use { USE_CODE, USE_ENTRIES };

static int check_header(const struct elf_file *f, const char *what, enum use use,
			struct err *e)
{
	const Elf64_Ehdr *h = &f->header;

	if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
		return err_set(e, STATUS_BADFMT, "'%s' is not an ELF file", what);
	if (!machine_is_native(h))
		return err_set(e, STATUS_UNSUP, "'%s' is not a 64-bit %s object", what,
			       machine_name);
	if (h->e_type != ET_EXEC && h->e_type != ET_DYN &&
	    (use == USE_CODE || h->e_type != ET_REL))
		return err_set(e, STATUS_BADFMT,
			       "'%s' is neither a program nor a shared object", what);
	return 0;
}

/* Section 0 has the counts that exceed the 16 bits of the header (ELF: PN_XNUM). */
static bool read_section_zero(const struct elf_file *f, Elf64_Shdr *zero)
{
	return f->header.e_shoff && f->header.e_shentsize == sizeof(*zero) &&
	       elf_read_at(f, zero, f->header.e_shoff, sizeof(*zero));
}

static int read_segments(struct elf_file *f, const char *what, struct err *e)
{
	uint64_t n = f->header.e_phnum;
	Elf64_Shdr zero;

	if (n == PN_XNUM && read_section_zero(f, &zero))
		n = zero.sh_info;
	if (!n)
		return 0;
	if (f->header.e_phentsize != sizeof(Elf64_Phdr) || n > SEGMENTS_MAX)
		return err_set(e, STATUS_BADFMT, "'%s' has invalid program headers",
			       what);
	f->segments = elf_read(f, f->header.e_phoff, n * sizeof(Elf64_Phdr));
	if (!f->segments)
		return err_set(e, STATUS_BADFMT, "'%s' is cut short", what);
	f->nsegments = (size_t)n;
	for (size_t i = 0, nloads = 0; i < f->nsegments; i++) {
		nloads += f->segments[i].p_type == PT_LOAD;
		if (nloads > LOADS_MAX)
			return err_set(e, STATUS_BADFMT, "'%s' has too many segments",
				       what);
	}
	return 0;
}

static void read_section_names(struct elf_file *f, uint64_t index)
{
	const Elf64_Shdr *s;

	if (index >= f->nsections)
		return;
	s = &f->sections[index];
	if (s->sh_type != SHT_STRTAB || (s->sh_flags & SHF_COMPRESSED) ||
	    s->sh_size > SECTION_NAMES_MAX)
		return;
	f->section_names = elf_read(f, s->sh_offset, s->sh_size);
	if (f->section_names)
		f->section_names_size = (size_t)s->sh_size;
}

/* Programs run without a section table, so an invalid one is treated as absent. */
static void read_sections(struct elf_file *f, const char *what)
{
	uint64_t n = f->header.e_shnum, names = f->header.e_shstrndx;
	Elf64_Shdr zero;

	if (!read_section_zero(f, &zero))
		return;
	if (!n)
		n = zero.sh_size;
	if (names == SHN_XINDEX)
		names = zero.sh_link;
	if (!n || n > SECTIONS_MAX)
		return;
	f->sections = elf_read(f, f->header.e_shoff, n * sizeof(Elf64_Shdr));
	if (!f->sections) {
		log_debug("symbols", "'%s': the section table is cut short", what);
		return;
	}
	f->nsections = (size_t)n;
	read_section_names(f, names);
}

static int open_for(struct elf_file *f, int fd, const char *what, enum use use,
		    struct err *e)
{
	struct stat st;
	int status = 0;

	memset(f, 0, sizeof(*f));
	f->fd = fd;
	f->budget = oom_calloc(1, sizeof(*f->budget));
	budget_init(f->budget, fd, what);
	if (fstat(fd, &st) < 0)
		status = err_errno(e, STATUS_IO, "cannot read '%s'", what);
	else
		f->size = (uint64_t)st.st_size;
	if (!status && !elf_read_at(f, &f->header, 0, sizeof(f->header)))
		status = err_set(e, STATUS_BADFMT, "'%s' is too short for an ELF file",
				 what);
	if (!status)
		status = check_header(f, what, use, e);
	if (!status)
		status = read_segments(f, what, e);
	if (status)
		elf_release(f);
	return status;
}

int elf_open_segments(struct elf_file *f, int fd, const char *what, struct err *e)
{
	return open_for(f, fd, what, USE_CODE, e);
}

int elf_open(struct elf_file *f, int fd, const char *what, struct err *e)
{
	int status = open_for(f, fd, what, USE_CODE, e);

	if (!status)
		read_sections(f, what);
	return status;
}

int elf_open_shared(struct elf_file *f, int fd, const char *what, struct err *e)
{
	int status = open_for(f, fd, what, USE_ENTRIES, e);

	if (!status)
		read_sections(f, what);
	return status;
}

void elf_release(struct elf_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	free(f->segments);
	free(f->sections);
	free(f->section_names);
	if (f->budget)
		budget_release(f->budget);
	free(f->budget);
	memset(f, 0, sizeof(*f));
	f->fd = -1;
}

bool elf_offset(const struct elf_file *f, uint64_t vaddr, uint64_t size, uint64_t *out)
{
	for (size_t i = 0; i < f->nsegments; i++) {
		const Elf64_Phdr *p = &f->segments[i];
		uint64_t at = vaddr - p->p_vaddr;

		if (p->p_type != PT_LOAD || vaddr < p->p_vaddr || at >= p->p_filesz ||
		    size > p->p_filesz - at || p->p_offset > UINT64_MAX - at)
			continue;
		*out = p->p_offset + at;
		return true;
	}
	return false;
}

const Elf64_Phdr *elf_code_at(const struct elf_file *f, uint64_t vaddr)
{
	for (size_t i = 0; i < f->nsegments; i++) {
		const Elf64_Phdr *p = &f->segments[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X && vaddr >= p->p_vaddr &&
		    vaddr - p->p_vaddr < p->p_filesz)
			return p;
	}
	return NULL;
}

const char *elf_section_name(const struct elf_file *f, const Elf64_Shdr *s)
{
	return s->sh_name < f->section_names_size ? f->section_names + s->sh_name : "";
}

const Elf64_Shdr *elf_section(const struct elf_file *f, uint32_t type, const char *name)
{
	for (size_t i = 0; i < f->nsections; i++) {
		const Elf64_Shdr *s = &f->sections[i];

		if (s->sh_type == type &&
		    (!name || strcmp(elf_section_name(f, s), name) == 0))
			return s;
	}
	return NULL;
}

size_t elf_plts(const struct elf_file *f, struct elf_range out[ELF_PLTS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < f->nsections && n < ELF_PLTS_MAX; i++) {
		const Elf64_Shdr *s = &f->sections[i];
		const char *name = elf_section_name(f, s);

		if ((s->sh_flags & SHF_EXECINSTR) &&
		    (strcmp(name, ".iplt") == 0 || strcmp(name, ".plt") == 0 ||
		     strncmp(name, ".plt.", 5) == 0))
			out[n++] = (struct elf_range){
				s->sh_addr,
				s->sh_addr + min_u64(s->sh_size, ~s->sh_addr)};
	}
	return n;
}

bool elf_is_plt_entry(const struct elf_file *f, uint64_t vaddr)
{
	uint8_t code[MACHINE_PLT_BYTES];
	uint64_t offset;

	return elf_offset(f, vaddr, sizeof(code), &offset) &&
	       elf_read_at(f, code, offset, sizeof(code)) && machine_is_plt_entry(code);
}

/* A note to find, and the buffer for its content. */
struct note {
	const char *owner; /* at most three letters */
	uint32_t type;
	uint8_t *out;
	size_t max;
};

static bool is_note(const struct note *wanted, const Elf64_Nhdr *h,
		    const uint8_t *owner)
{
	size_t n = strlen(wanted->owner) + 1;

	return h->n_type == wanted->type && h->n_namesz >= n && h->n_namesz <= 4 &&
	       memcmp(owner, wanted->owner, n) == 0 && h->n_descsz > 0 &&
	       h->n_descsz <= wanted->max;
}

/* Searches n bytes of notes; returns the length of the content, or 0. */
static size_t find_note(const uint8_t *notes, uint64_t n, uint64_t align,
			const struct note *wanted)
{
	Elf64_Nhdr h;

	align = align == 8 ? 8 : 4;
	for (uint64_t at = 0; at <= n && n - at >= sizeof(h);) {
		uint64_t name = at + sizeof(h), desc, next;

		memcpy(&h, notes + at, sizeof(h));
		desc = align_up(name + h.n_namesz, align);
		next = align_up(desc + h.n_descsz, align);
		if (desc > n || h.n_descsz > n - desc)
			return 0;
		if (is_note(wanted, &h, notes + name)) {
			memcpy(wanted->out, notes + desc, h.n_descsz);
			return h.n_descsz;
		}
		at = next;
	}
	return 0;
}

static size_t note_at(const struct elf_file *f, const Elf64_Phdr *place,
		      const struct note *wanted)
{
	uint8_t *notes = NULL;
	size_t n = 0;

	if (place->p_filesz <= NOTES_MAX)
		notes = elf_read(f, place->p_offset, place->p_filesz);
	if (notes)
		n = find_note(notes, place->p_filesz, place->p_align, wanted);
	free(notes);
	return n;
}

/* Sections first: the segments of a debug file may have no content. */
size_t elf_note(const struct elf_file *f, const char *owner, uint32_t type,
		uint8_t *out, size_t max)
{
	const struct note wanted = {owner, type, out, max};
	size_t n = 0;

	for (size_t i = 0; i < f->nsections && !n; i++) {
		const Elf64_Shdr *s = &f->sections[i];
		Elf64_Phdr place = {.p_offset = s->sh_offset,
				    .p_filesz = s->sh_size,
				    .p_align = s->sh_addralign};

		if (s->sh_type == SHT_NOTE)
			n = note_at(f, &place, &wanted);
	}
	for (size_t i = 0; i < f->nsegments && !n; i++) {
		if (f->segments[i].p_type == PT_NOTE)
			n = note_at(f, &f->segments[i], &wanted);
	}
	return n;
}

size_t elf_build_id(const struct elf_file *f, uint8_t out[ELF_BUILD_ID_MAX])
{
	return elf_note(f, "GNU", NT_GNU_BUILD_ID, out, ELF_BUILD_ID_MAX);
}

/* The section: base name, zero, up to three bytes of padding, CRC. */
char *elf_debuglink(const struct elf_file *f, uint32_t *crc)
{
	const Elf64_Shdr *s = elf_section(f, SHT_PROGBITS, ".gnu_debuglink");
	char *name;
	size_t at;

	if (!s || s->sh_size > NAME_LINK_MAX || (s->sh_flags & SHF_COMPRESSED))
		return NULL;
	name = elf_read(f, s->sh_offset, s->sh_size);
	if (!name)
		return NULL;
	at = (size_t)align_up(strlen(name) + 1, 4);
	if (!name[0] || strchr(name, '/') || at + sizeof(*crc) > s->sh_size) {
		free(name);
		return NULL;
	}
	memcpy(crc, name + at, sizeof(*crc));
	return name;
}

/* The reflected CRC-32 of IEEE 802.3, eight bytes at a time. */
static uint32_t crc_tables[8][256];
static pthread_once_t are_filled = PTHREAD_ONCE_INIT;

static void fill_crc_tables(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
		crc_tables[0][i] = c;
	}
	for (uint32_t i = 0; i < 256; i++) {
		for (int t = 1; t < 8; t++) {
			uint32_t c = crc_tables[t - 1][i];

			crc_tables[t][i] = crc_tables[0][c & 255] ^ c >> 8;
		}
	}
}

static uint32_t crc_add(uint32_t c, const uint8_t *p, size_t n)
{
	for (; n >= 8; n -= 8, p += 8) {
		uint64_t v;
		uint32_t next = 0;

		memcpy(&v, p, 8);
		v ^= c;
		for (int i = 0; i < 8; i++)
			next ^= crc_tables[7 - i][v >> 8 * i & 255];
		c = next;
	}
	for (; n; n--, p++)
		c = crc_tables[0][(c ^ *p) & 255] ^ c >> 8;
	return c;
}

int elf_checksum(const struct elf_file *f, uint32_t *crc)
{
	const size_t block = 1 << 16;
	uint8_t *buf = malloc(block);
	uint32_t c = UINT32_MAX;
	int status = buf ? 0 : STATUS_NOMEM;

	/* no real file is almost empty; reading holes costs time */
	if (f->budget->is_hollow)
		status = STATUS_IO;
	pthread_once(&are_filled, fill_crc_tables);
	for (uint64_t at = 0; !status && at < f->size; at += block) {
		size_t n = (size_t)min_u64(block, f->size - at);

		if (budget_is_over())
			status = STATUS_IO;
		else if (elf_read_at(f, buf, at, n))
			c = crc_add(c, buf, n);
		else
			status = STATUS_IO;
	}
	free(buf);
	*crc = ~c;
	return status;
}

static void read_versions(const struct elf_file *f, struct elf_symbols *out)
{
	const Elf64_Shdr *s = elf_section(f, SHT_GNU_versym, NULL);

	if (!s)
		return;
	out->versions = elf_read(f, s->sh_offset, s->sh_size);
	if (out->versions)
		out->nversions = (size_t)s->sh_size / sizeof(*out->versions);
}

int elf_symbols_read(const struct elf_file *f, uint32_t type, struct elf_symbols *out,
		     struct err *e)
{
	const Elf64_Shdr *s = elf_section(f, type, NULL), *names;

	memset(out, 0, sizeof(*out));
	if (!f->nsections && type == SHT_DYNSYM)
		elf_dynamic_symbols(f, out);
	if (!s)
		return 0;
	if (s->sh_link >= f->nsections || s->sh_entsize != sizeof(Elf64_Sym) ||
	    (s->sh_flags & SHF_COMPRESSED))
		return err_set(e, STATUS_BADFMT, "the symbol table is damaged");
	names = &f->sections[s->sh_link];
	if (names->sh_type != SHT_STRTAB || (names->sh_flags & SHF_COMPRESSED))
		return err_set(e, STATUS_BADFMT, "the symbol table has no names");
	out->data = elf_read(f, s->sh_offset, s->sh_size);
	out->names = elf_read(f, names->sh_offset, names->sh_size);
	if (!out->data || !out->names) {
		elf_symbols_release(out);
		return err_set(e, STATUS_BADFMT, "the symbol table is cut short");
	}
	out->len = (size_t)s->sh_size / sizeof(Elf64_Sym);
	out->names_size = (size_t)names->sh_size;
	if (type == SHT_DYNSYM)
		read_versions(f, out);
	return 0;
}

void elf_symbols_release(struct elf_symbols *s)
{
	free(s->data);
	free(s->names);
	free(s->versions);
	memset(s, 0, sizeof(*s));
}

char *elf_symbol_name(const struct elf_symbols *s, size_t i)
{
	return s->data[i].st_name < s->names_size ? s->names + s->data[i].st_name
						  : NULL;
}

bool elf_symbol_is_named(const struct elf_symbols *s, size_t i, const char *name)
{
	const char *text = i < s->len ? elf_symbol_name(s, i) : NULL;
	size_t n = strlen(name);

	return text && strncmp(text, name, n) == 0 && (!text[n] || text[n] == '@');
}
