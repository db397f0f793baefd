/* SPDX-License-Identifier: MIT */
/*
 * Maps what it is told, says "ready", and calls tick() until it is killed:
 *
 *	mapper anonymous N	N mappings of a page
 *	mapper times N FILE	the code of FILE N times
 *	mapper files FOLDER	the code of each file in FOLDER
 *	mapper forged		a further link map whose list of objects has no end
 *
 * The code is the first segment of a file that is executable, or a page of it.
 */
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../truth.h"

#define PAGE 4096UL

/* As in newer <link.h>. */
struct extended {
	struct r_debug base;
	void *next;
};

static struct link_map circle[2];
static struct extended forged = {.base = {.r_version = 2, .r_map = &circle[0]}};

KEEP int tick(int n)
{
	__asm__ volatile("");
	return n + 1;
}

/* Where the code is in the file; 0: nowhere. */
static off_t code_of(int fd)
{
	Elf64_Ehdr h;
	Elf64_Phdr p;

	if (pread(fd, &h, sizeof(h), 0) != sizeof(h))
		return 0;
	for (int i = 0; i < h.e_phnum; i++) {
		off_t at = (off_t)(h.e_phoff + (size_t)i * sizeof(p));

		if (pread(fd, &p, sizeof(p), at) == sizeof(p) && p.p_type == PT_LOAD &&
		    (p.p_flags & PF_X))
			return (off_t)(p.p_offset & ~(PAGE - 1));
	}
	return 0;
}

static void *map_page(int fd, off_t at)
{
	return mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, at);
}

static int map_times(long n, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	off_t at = fd < 0 ? 0 : code_of(fd);

	/* pages that do not follow each other, so that none are merged */
	for (long i = 0; at && i < n; i++)
		if (map_page(fd, at + 2 * (i % 3) * (off_t)PAGE) == MAP_FAILED)
			return 1;
	return !at;
}

static int map_files(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		int fd = openat(dirfd(dir), d->d_name, O_RDONLY | O_CLOEXEC);

		if (d->d_name[0] != '.' &&
		    (fd < 0 || map_page(fd, code_of(fd)) == MAP_FAILED))
			return 1;
		close(fd);
	}
	return !dir;
}

static int map_anonymous(long n)
{
	/* of two kinds in turn, so that none are merged */
	for (long i = 0; i < n; i++)
		if (mmap(NULL, PAGE, i % 2 ? PROT_READ : PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
			return 1;
	return 0;
}

/* The loader's own, where a copy in the program may be shorter. */
static struct extended *loaders_list(void)
{
	for (const ElfW(Dyn) *d = _DYNAMIC; d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_DEBUG)
			return (struct extended *)d->d_un.d_ptr;
	return NULL;
}

static int forge(void)
{
	struct extended *first = loaders_list();

	if (!first || strverscmp(gnu_get_libc_version(), "2.35") < 0)
		return 77; /* this loader has one list only */
	circle[0].l_next = &circle[1];
	circle[1].l_next = &circle[0];
	first->base.r_version = 2;
	first->next = &forged;
	return 0;
}

int main(int argc, char **argv)
{
	int bad = 2;

	if (argc == 3 && strcmp(argv[1], "anonymous") == 0)
		bad = map_anonymous(atol(argv[2]));
	else if (argc == 4 && strcmp(argv[1], "times") == 0)
		bad = map_times(atol(argv[2]), argv[3]);
	else if (argc == 3 && strcmp(argv[1], "files") == 0)
		bad = map_files(argv[2]);
	else if (argc == 2 && strcmp(argv[1], "forged") == 0)
		bad = forge();
	if (bad)
		return bad;
	puts("ready");
	fflush(stdout);
	for (int n = 0;;) {
		usleep(1000);
		n = tick(n);
	}
}
