/* SPDX-License-Identifier: MIT */
/*
 * Maps a shared object (leaves.c) without the loader, calls its functions, and unmaps it:
 *
 *	ownloader HOW FILE [TURNS [wait]]
 *
 * HOW:	segments	its PT_LOADs, each with its protection
 *	whole		the file in one executable mapping
 *	late		its code writable, then executable, page after page
 *	patched		the same, with other code written over leaf_twice
 *	piece		the pages with code only
 *	both		segments, and those pages once more
 *	memfd		segments of a copy without a file
 *	raw		segments, by system calls that are not those of the C library
 *	over		segments, and in the same place the same code once more
 *	twice		raw, and 100 ms later its code is protected by the C library
 *	busy		segments, after very many mappings without code
 *
 * Turns: 3. With "wait" it prints "mapped ADDRESS", of leaf_far, in each, and "called"
 * after its calls; it goes on when it gets a line. If it has FURTHER_LINK_MAP in its
 * environment, its loader makes one first.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../truth.h"

#define PAGE  4096UL
#define CALLS 5
#define BUSY  100000

static unsigned long n_twice, n_thrice, n_far, n_turn;
static int is_raw, is_waiting;

struct image {
	char *base;
	size_t size;
	Elf64_Ehdr *file; /* the file, read-only */
	size_t file_size;
	int fd;
};

static void *map(void *at, size_t size, int prot, int flags, const struct image *m,
		 uint64_t offset)
{
	long result;
	register long r10 __asm__("r10") = flags;
	register long r8 __asm__("r8") = m->fd;
	register long r9 __asm__("r9") = (long)offset;

	if (!is_raw)
		return mmap(at, size, prot, flags, m->fd, (off_t)offset);
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(SYS_mmap), "D"(at), "S"(size), "d"(prot), "r"(r10),
			   "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return (void *)result;
}

static const Elf64_Phdr *segments(const struct image *m)
{
	return (const void *)((const char *)m->file + m->file->e_phoff);
}

static int protection(const Elf64_Phdr *p)
{
	return (p->p_flags & PF_R ? PROT_READ : 0) |
	       (p->p_flags & PF_W ? PROT_WRITE : 0) |
	       (p->p_flags & PF_X ? PROT_EXEC : 0);
}

static void *map_segment(const struct image *m, const Elf64_Phdr *p, int prot)
{
	uint64_t first = p->p_vaddr & ~(PAGE - 1);

	return map(m->base + first, p->p_vaddr + p->p_filesz - first, prot,
		   MAP_PRIVATE | MAP_FIXED, m, p->p_offset & ~(PAGE - 1));
}

static int reserve(struct image *m)
{
	const Elf64_Phdr *p = segments(m);

	for (int i = 0; i < m->file->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && p[i].p_vaddr + p[i].p_memsz > m->size)
			m->size = p[i].p_vaddr + p[i].p_memsz;
	m->base = mmap(NULL, m->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return m->base == MAP_FAILED;
}

static int map_segments(struct image *m)
{
	const Elf64_Phdr *p = segments(m);

	for (int i = 0; i < m->file->e_phnum; i++)
		if (p[i].p_type == PT_LOAD &&
		    map_segment(m, &p[i], protection(&p[i])) == MAP_FAILED)
			return 1;
	return 0;
}

static const Elf64_Phdr *code_of(const struct image *m)
{
	const Elf64_Phdr *p = segments(m);

	for (int i = 0; i < m->file->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && p[i].p_flags & PF_X)
			return &p[i];
	return NULL;
}

/* The value of a function, by the dynamic symbols. */
static uint64_t value_of(const struct image *m, const char *name)
{
	const char *file = (const void *)m->file;
	const Elf64_Shdr *s = (const void *)(file + m->file->e_shoff);

	for (int i = 0; i < m->file->e_shnum; i++) {
		const Elf64_Sym *sym = (const void *)(file + s[i].sh_offset);
		const char *names = file + s[s[i].sh_link].sh_offset;

		for (size_t k = 0;
		     s[i].sh_type == SHT_DYNSYM && k < s[i].sh_size / sizeof(*sym); k++)
			if (strcmp(names + sym[k].st_name, name) == 0)
				return sym[k].st_value;
	}
	return 0;
}

static int map_late(struct image *m, int is_patched)
{
	/* mov $7, %eax; mov %eax, %eax; ret: no instruction ends where the old ones do */
	static const unsigned char other[] = {0xb8, 7, 0, 0, 0, 0x89, 0xc0, 0xc3};
	const Elf64_Phdr *p = code_of(m);
	char *at = map_segment(m, p, PROT_READ | PROT_WRITE);

	if (at == MAP_FAILED)
		return 1;
	if (is_patched)
		memcpy(m->base + value_of(m, "leaf_twice"), other, sizeof(other));
	for (uint64_t i = 0; i < p->p_filesz; i += PAGE)
		if (mprotect(at + i, PAGE, PROT_READ | PROT_EXEC))
			return 1;
	return 0;
}

/* The pages with code, in another place. */
static char *map_piece(const struct image *m)
{
	const Elf64_Phdr *p = code_of(m);
	uint64_t offset = p->p_offset & ~(PAGE - 1);
	char *at = map(NULL, p->p_offset + p->p_filesz - offset, PROT_READ | PROT_EXEC,
		       MAP_PRIVATE, m, offset);

	return at == MAP_FAILED ? NULL : at - (p->p_vaddr & ~(PAGE - 1));
}

static int open_image(struct image *m, const char *path, int is_copied)
{
	struct stat st;

	m->fd = open(path, O_RDONLY);
	if (m->fd < 0 || fstat(m->fd, &st))
		return 1;
	m->file_size = (size_t)st.st_size;
	m->file = mmap(NULL, m->file_size, PROT_READ, MAP_PRIVATE, m->fd, 0);
	if (m->file == MAP_FAILED || !is_copied)
		return m->file == MAP_FAILED;
	close(m->fd);
	m->fd = memfd_create("leaves", 0);
	return write(m->fd, m->file, m->file_size) != (ssize_t)m->file_size;
}

/* Until there is a line. */
static void wait_after(const char *what, const char *at)
{
	char c = 0;

	if (!is_waiting)
		return;
	printf(at ? "%s %p\n" : "%s\n", what, (const void *)at);
	while (c != '\n')
		if (read(0, &c, 1) != 1)
			exit(2);
}

static void call_one(const char *at, unsigned long *calls)
{
	long (*function)(long) = (long (*)(long))at;

	for (long i = 0; i < CALLS; i++) {
		function(i);
		hit(calls);
	}
}

static void call(const char *base, const struct image *m)
{
	wait_after("mapped", base + value_of(m, "leaf_far"));
	call_one(base + value_of(m, "leaf_twice"), &n_twice);
	call_one(base + value_of(m, "leaf_thrice"), &n_thrice);
	call_one(base + value_of(m, "leaf_far"), &n_far);
	wait_after("called", NULL);
}

/* What the mappings without code cost: how often the thread gave up its processor. */
static void be_busy(void)
{
	struct rusage before, after;

	getrusage(RUSAGE_SELF, &before);
	for (int i = 0; i < BUSY; i++)
		munmap(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		       PAGE);
	getrusage(RUSAGE_SELF, &after);
	printf("stops %ld\n", after.ru_nvcsw - before.ru_nvcsw);
}

static int map_as(const char *how, struct image *m)
{
	if (strcmp(how, "busy") == 0)
		be_busy();
	if (strcmp(how, "piece") == 0)
		return 0;
	if (strcmp(how, "whole") == 0) {
		m->size = m->file_size;
		m->base = map(NULL, m->size, PROT_READ | PROT_EXEC, MAP_PRIVATE, m, 0);
		return m->base == MAP_FAILED;
	}
	if (reserve(m))
		return 1;
	if (strcmp(how, "late") == 0 || strcmp(how, "patched") == 0)
		return map_late(m, how[0] == 'p');
	return map_segments(m);
}

static int protect_again(const struct image *m)
{
	const Elf64_Phdr *p = code_of(m);
	uint64_t first = p->p_vaddr & ~(PAGE - 1);

	usleep(100000);
	return mprotect(m->base + first, p->p_vaddr + p->p_filesz - first,
			PROT_READ | PROT_EXEC);
}

KEEP int turn(const char *how, const char *path)
{
	const int is_twice = strcmp(how, "twice") == 0;
	struct image m = {0};
	char *piece = NULL;

	hit(&n_turn);
	is_raw = is_twice || strcmp(how, "raw") == 0;
	if (open_image(&m, path, strcmp(how, "memfd") == 0) || map_as(how, &m) ||
	    (is_twice && protect_again(&m)))
		return 1;
	if (strcmp(how, "piece") == 0 || strcmp(how, "both") == 0)
		piece = map_piece(&m);
	if (m.base)
		call(m.base, &m);
	if (piece)
		call(piece, &m);
	if (strcmp(how, "over") == 0 && map_segments(&m) == 0)
		call(m.base, &m);
	if (m.base)
		munmap(m.base, m.size);
	if (piece)
		munmap(piece + (code_of(&m)->p_vaddr & ~(PAGE - 1)),
		       code_of(&m)->p_filesz);
	munmap(m.file, m.file_size);
	return close(m.fd);
}

static int add_link_map(void)
{
#ifdef __PIE__ /* the static program has no loader */
	if (getenv("FURTHER_LINK_MAP"))
		return !dlmopen(LM_ID_NEWLM, "libm.so.6", RTLD_NOW);
#endif
	return 0;
}

int main(int argc, char **argv)
{
	int turns = argc > 3 ? atoi(argv[3]) : 3;
	int bad = argc < 3 || add_link_map();

	setvbuf(stdout, NULL, _IOLBF, 0);
	is_waiting = argc > 4;
	for (int i = 0; i < turns && !bad; i++)
		bad = turn(argv[1], argv[2]);
	truth("turn", &n_turn);
	truth("leaf_twice", &n_twice);
	truth("leaf_thrice", &n_thrice);
	truth("leaf_far", &n_far);
	return bad;
}
