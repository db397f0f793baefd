/* SPDX-License-Identifier: MIT */
#include "symbols/dwarf/image.h"

#include <elf.h>
#include <string.h>

#include "vm/base/host/vec.h"

static const char names_name[] = ".shstrtab";

struct headers {
	Elf64_Shdr *data;
	size_t len, cap;
};

static uint64_t align(struct strbuf *out)
{
	strbuf_pad(out, 0, -out->len & 7);
	return out->len;
}

static void add_header(struct headers *h, uint32_t type, struct strbuf *names,
		       const char *name, uint64_t at)
{
	*vec_push(h) = (Elf64_Shdr){
		.sh_name = (Elf64_Word)names->len,
		.sh_type = type,
		.sh_offset = at,
		.sh_addralign = 1,
	};
	strbuf_add(names, name, strlen(name) + 1);
}

void image_make(uint16_t machine, const struct image_section *s, size_t n,
		struct strbuf *out)
{
	struct headers all = {0};
	struct strbuf names = {0};
	Elf64_Ehdr h = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_REL,
		.e_machine = machine,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(h),
		.e_shentsize = sizeof(Elf64_Shdr),
	};

	strbuf_add(out, &h, sizeof(h));
	*vec_push(&all) = (Elf64_Shdr){.sh_type = SHT_NULL};
	strbuf_putc(&names, 0);
	for (size_t i = 0; i < n; i++) {
		if (!i || strcmp(s[i].name, s[i - 1].name) != 0)
			add_header(&all, SHT_PROGBITS, &names, s[i].name, align(out));
		strbuf_add(out, s[i].data, s[i].size);
		all.data[all.len - 1].sh_size += s[i].size;
	}
	add_header(&all, SHT_STRTAB, &names, names_name, align(out));
	all.data[all.len - 1].sh_size = names.len;
	strbuf_add(out, names.data, names.len);
	h.e_shoff = align(out);
	h.e_shnum = (Elf64_Half)all.len;
	h.e_shstrndx = (Elf64_Half)(all.len - 1);
	strbuf_add(out, all.data, all.len * sizeof(*all.data));
	memcpy(out->data, &h, sizeof(h));
	strbuf_release(&names);
	vec_release(&all);
}
