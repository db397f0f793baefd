/* SPDX-License-Identifier: MIT */
/* What kind of program a file is. */
#include "symbols/symbols.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "symbols/elf/elf.h"
#include "symbols/elf/file.h"
#include "symbols/elf/machine.h"

/* On a file system mounted nosuid none of the three has an effect. */
static bool is_setid(int fd)
{
	struct statvfs fs;
	struct stat st;

	if (fstatvfs(fd, &fs) == 0 && (fs.f_flag & ST_NOSUID))
		return false;
	if (fstat(fd, &st) == 0 &&
	    ((st.st_mode & S_ISUID) ||
	     /* set-gid without group execution means mandatory file locks */
	     (st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP)))
		return true;
	return fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

/* The first line is "#! interpreter argument"; head is zero-terminated. */
static void read_interpreter(const char *head, struct program_file *out)
{
	const char *p = head + 2;
	size_t n;

	p += strspn(p, " \t");
	n = strcspn(p, " \t\n");
	if (n >= sizeof(out->interpreter))
		n = sizeof(out->interpreter) - 1;
	memcpy(out->interpreter, p, n);
	out->interpreter[n] = '\0';
}

static int read_elf(int fd, const char *path, struct program_file *out, struct err *e)
{
	struct elf_file f;
	int status = elf_open(&f, fd, path, e);

	if (status)
		return status;
	for (size_t i = 0; i < f.nsegments; i++)
		out->is_dynamic |= f.segments[i].p_type == PT_INTERP;
	elf_release(&f);
	return 0;
}

int program_file_read(const char *path, struct program_file *out, struct err *e)
{
	char head[257] = {0};
	Elf64_Ehdr header; /* e_machine is at the same place in both classes */
	ssize_t n;
	int fd, status;

	memset(out, 0, sizeof(*out));
	status = file_open(path, &fd, e);
	if (status)
		return status;
	n = pread(fd, head, sizeof(head) - 1, 0);
	if (n < 0) {
		status = err_errno(e, STATUS_IO, "cannot read '%s'", path);
		close(fd);
		return status;
	}
	out->is_setid = is_setid(fd);
	if (memcmp(head, "#!", 2) == 0)
		read_interpreter(head, out);
	out->is_elf = memcmp(head, ELFMAG, SELFMAG) == 0;
	if (out->is_elf) {
		memcpy(&header, head, sizeof(header));
		out->is_native = machine_is_native(&header);
	}
	if (out->is_native)
		return read_elf(fd, path, out, e); /* closes fd */
	close(fd);
	return 0;
}
