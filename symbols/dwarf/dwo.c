/* SPDX-License-Identifier: MIT */
#include "symbols/dwarf/dwo.h"

#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/dwarf/image.h"
#include "vm/base/host/vec.h"

static const char *const known[] = {
	".debug_info.dwo",	  ".debug_types.dwo",	 ".debug_abbrev.dwo",
	".debug_line.dwo",	  ".debug_line_str.dwo", ".debug_loc.dwo",
	".debug_loclists.dwo",	  ".debug_rnglists.dwo", ".debug_str.dwo",
	".debug_str_offsets.dwo",
};

struct chunks {
	struct image_section *data;
	size_t len, cap;
};

/* The name in known, or NULL; .zdebug_info.dwo is compressed as GNU did once. */
static const char *known_name(const char *name, bool *is_gnu)
{
	*is_gnu = strncmp(name, ".z", 2) == 0;
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcmp(known[i] + 1, name + 1 + *is_gnu) == 0)
			return known[i];
	return NULL;
}

static void add_chunk(Elf *elf, Elf_Scn *scn, size_t names, struct chunks *out)
{
	Elf64_Shdr *h = elf64_getshdr(scn);
	const char *text = h ? elf_strptr(elf, names, h->sh_name) : NULL;
	bool is_gnu = false;
	const char *name = text && *text == '.' ? known_name(text, &is_gnu) : NULL;
	Elf_Data *data;

	if (!name || h->sh_type == SHT_NOBITS)
		return;
	if (is_gnu)
		elf_compress_gnu(scn, 0, 0);
	else if (h->sh_flags & SHF_COMPRESSED)
		elf_compress(scn, 0, 0);
	data = elf_rawdata(scn, NULL);
	if (data && data->d_buf)
		*vec_push(out) =
			(struct image_section){name, data->d_buf, data->d_size};
}

/* By name, in the order of the file: addresses are not. */
static void order(struct chunks *c)
{
	struct chunks sorted = {0};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		for (size_t k = 0; k < c->len; k++)
			if (c->data[k].name == known[i])
				*vec_push(&sorted) = c->data[k];
	free(c->data);
	*c = sorted;
}

int dwo_image(const struct elf_file *f, struct strbuf *out, struct err *e)
{
	Elf *elf = elf_begin(f->fd, ELF_C_READ, NULL);
	struct chunks chunks = {0};
	Elf_Scn *scn = NULL;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names) != 0) {
		elf_end(elf);
		return err_set(e, STATUS_BADFMT, "'%s' is damaged", f->budget->path);
	}
	while ((scn = elf_nextscn(elf, scn)))
		add_chunk(elf, scn, names, &chunks);
	order(&chunks);
	image_make(f->header.e_machine, chunks.data, chunks.len, out);
	vec_release(&chunks);
	elf_end(elf);
	return 0;
}
