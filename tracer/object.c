/* SPDX-License-Identifier: MIT */
/*
 * -G: an object file for makefiles of DTrace, which link one that describes the probes
 * of a program. The header of -h puts the descriptions into the program itself, so the
 * file is empty.
 */
#include "tracer/base/own_file.h"
#include "tracer/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

/* Names of sections. The first says that the program's stack needs no execution. */
static const char names[] = "\0.note.GNU-stack\0.shstrtab";
#define NAME_OF_STACK 1
#define NAME_OF_NAMES (NAME_OF_STACK + sizeof(".note.GNU-stack"))

static bool set_header(Elf *elf)
{
	Elf64_Ehdr *h = elf64_newehdr(elf);

	if (!h)
		return false;
	h->e_ident[EI_DATA] = ELFDATA2LSB;
	h->e_type = ET_REL;
	h->e_machine = EM_X86_64;
	h->e_version = EV_CURRENT;
	h->e_shstrndx = 2; /* in the order of add_section() */
	return true;
}

static bool add_section(Elf *elf, Elf64_Shdr wanted, const char *text, size_t size)
{
	Elf_Scn *section = elf_newscn(elf);
	Elf64_Shdr *h = section ? elf64_getshdr(section) : NULL;
	Elf_Data *data = section ? elf_newdata(section) : NULL;

	if (!h || !data)
		return false;
	h->sh_name = wanted.sh_name;
	h->sh_type = wanted.sh_type;
	h->sh_addralign = 1;
	data->d_buf = (void *)(uintptr_t)text;
	data->d_size = size;
	data->d_align = 1;
	return true;
}

static bool write_object(int fd)
{
	Elf *elf;
	bool ok;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	ok = elf && set_header(elf) &&
	     add_section(
		     elf,
		     (Elf64_Shdr){.sh_name = NAME_OF_STACK, .sh_type = SHT_PROGBITS},
		     NULL, 0) &&
	     add_section(elf,
			 (Elf64_Shdr){.sh_name = NAME_OF_NAMES, .sh_type = SHT_STRTAB},
			 names, sizeof(names)) &&
	     elf_update(elf, ELF_C_WRITE) >= 0;
	elf_end(elf);
	return ok;
}

int tracer_object(struct tracer *t, const char *path)
{
	bool ok;
	int fd;

	t->zero_ok = true;
	if (trace_compile(t))
		return 1;
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0) {
		out_message(t->out, "failed to open object file '%s': %s", path,
			    strerror(errno));
		return 1;
	}
	ok = write_object(fd);
	if (!ok) {
		out_message(t->out, "failed to write object file '%s': %s", path,
			    elf_errmsg(-1));
		own_file_remove(fd, path);
	}
	close(fd);
	return ok ? 0 : 1;
}
