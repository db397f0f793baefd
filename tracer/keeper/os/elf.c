/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/os/elf.h"
#include "vm/base/host/helper.h"
#include "vm/base/host/oom.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Asked by a helper: the file system of the program may not answer. */
struct ident {
	struct helper_job base;
	char path[32];
	unsigned char bytes[EI_NIDENT];
	ssize_t n;
};

static void ident_run(struct helper_job *base)
{
	struct ident *x = (struct ident *)base;
	int fd = open(x->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return;
	x->n = read(fd, x->bytes, sizeof(x->bytes));
	close(fd);
}

static void ident_drop(struct helper_job *base)
{
	free(base);
}

bool elf_is_32bit(int pid)
{
	struct ident *x = oom_calloc(1, sizeof(*x));
	bool is_32bit;
	int status;

	x->base = (struct helper_job){.run = ident_run, .drop = ident_drop};
	snprintf(x->path, sizeof(x->path), "/proc/%d/exe", pid);
	status = helper_ask(pid, &x->base);
	if (status == STATUS_BUSY)
		return false;
	is_32bit = status == 0 && x->n == (ssize_t)sizeof(x->bytes) &&
		   memcmp(x->bytes, ELFMAG, SELFMAG) == 0 &&
		   x->bytes[EI_CLASS] == ELFCLASS32;
	free(x);
	return is_32bit;
}
