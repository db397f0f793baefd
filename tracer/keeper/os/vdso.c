/* SPDX-License-Identifier: MIT */
/*
 * The image is the kernel's, but it is read from the target's memory, so every offset is
 * checked.
 */
#include "tracer/keeper/os/vdso.h"
#include "tracer/keeper/os/mem.h"
#include "vm/base/host/oom.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IMAGE_MAX (1u << 20)

struct image {
	const unsigned char *data;
	uint64_t n;
};

/* n elements of size bytes at an offset, or NULL. Not aligned: the caller copies them. */
static const void *part(const struct image *im, uint64_t at, uint64_t n, uint64_t size)
{
	if (at > im->n || (size && n > (im->n - at) / size))
		return NULL;
	return im->data + at;
}

static bool section(const struct image *im, uint32_t index, Elf64_Shdr *out)
{
	Elf64_Ehdr h;
	const unsigned char *p;

	memcpy(&h, im->data, sizeof(h));
	if (h.e_shentsize != sizeof(*out) || index >= h.e_shnum)
		return false;
	p = part(im, h.e_shoff, h.e_shnum, sizeof(*out));
	if (p)
		memcpy(out, p + index * sizeof(*out), sizeof(*out));
	return p != NULL;
}

static bool is_named(const struct image *im, const Elf64_Shdr *strings, uint32_t at,
		     const char *name)
{
	const char *p;
	size_t n = strlen(name) + 1;

	if (at >= strings->sh_size || strings->sh_size - at < n)
		return false;
	p = part(im, strings->sh_offset + at, n, 1);
	return p && memcmp(p, name, n) == 0;
}

static uint64_t find_in(const struct image *im, const Elf64_Shdr *table,
			const char *name)
{
	uint64_t n = table->sh_size / sizeof(Elf64_Sym);
	const unsigned char *p = part(im, table->sh_offset, n, sizeof(Elf64_Sym));
	Elf64_Shdr strings;
	Elf64_Sym sym;

	if (!p || !section(im, table->sh_link, &strings))
		return 0;
	for (uint64_t i = 0; i < n; i++) {
		memcpy(&sym, p + i * sizeof(sym), sizeof(sym));
		if (ELF64_ST_TYPE(sym.st_info) == STT_FUNC && sym.st_value < im->n &&
		    is_named(im, &strings, sym.st_name, name))
			return sym.st_value;
	}
	return 0;
}

static uint64_t find_function(const struct image *im, const char *name)
{
	Elf64_Shdr table;
	Elf64_Ehdr h;

	if (im->n < sizeof(h))
		return 0;
	memcpy(&h, im->data, sizeof(h));
	if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_machine != EM_X86_64)
		return 0;
	for (uint32_t i = 0; section(im, i, &table); i++)
		if (table.sh_type == SHT_DYNSYM)
			return find_in(im, &table, name);
	return 0;
}

taddr vdso_clock(const struct procfs_maps *maps, int mem)
{
	uint64_t at = 0;

	for (size_t i = 0; i < maps->len; i++) {
		const struct procfs_area *a = &maps->data[i];
		struct image im = {NULL, a->range.hi.v - a->range.lo.v};
		unsigned char *copy;

		if (a->kind != AREA_VDSO || !a->is_executable || im.n > IMAGE_MAX)
			continue;
		im.data = copy = oom_calloc(1, im.n);
		if (mem_read(mem, a->range.lo, copy, im.n) == 0)
			at = find_function(&im, "__vdso_clock_gettime");
		free(copy);
		if (at)
			return taddr_add(a->range.lo, (int64_t)at);
	}
	return (taddr){0};
}

bool vdso_is_tsc(void)
{
	static const char path[] =
		"/sys/devices/system/clocksource/clocksource0/current_clocksource";
	char name[8] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, name, sizeof(name));
	close(fd);
	return n == 4 && !memcmp(name, "tsc\n", 4);
}
