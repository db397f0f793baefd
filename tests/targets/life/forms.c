/* SPDX-License-Identifier: MIT */
/*
 * Every form of code that probes are set in, for the ends of tracing: a probe with a note and
 * a semaphore, a line with a local variable, an inlined copy, functions made at run time
 * (listed in a perf map, or in a jitdump), a frame that is left by longjmp(), a library that
 * is mapped without the loader.
 *
 *	forms LIBRARY map|dump
 *
 * It does what each line of its input says, and answers with a line:
 *
 *	N	N rounds, each with one of all: "done ROUNDS SUM SEMAPHORE same|changed";
 *		the last word is about the code that it made itself
 *	fork	the same in a child, 20 rounds: "child STATUS", 0 if all was as it should be
 *	exec	executes itself
 *
 * "ready PID" is its first line, also after exec. It ends with 3 when its input does.
 */
#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../notes.h"
#include "../truth.h"

#define PAGE	     4096
#define CHILD_ROUNDS 20

static volatile long noted;
static long rounds, sum;

/* ---- a probe with a note, as <sys/sdt.h> writes them ---- */

KEEP void guarded(long n)
{
	if (!guarded_semaphore)
		return;
	__asm__ volatile("990:	nop\n"
			 ".pushsection .note.stapsdt, \"\", \"note\"\n"
			 ".balign 4\n"
			 ".4byte 992f - 991f, 994f - 993f, 3\n"
			 "991: .asciz \"stapsdt\"\n"
			 "992: .balign 4\n"
			 "993: .8byte 990b, base_of_notes, guarded_semaphore\n"
			 ".asciz \"forms\", \"guarded\", \"-8@%%rdi\"\n"
			 "994: .balign 4\n"
			 ".popsection\n" ::"D"(n));
}

/* ---- a line, a local variable, an inlined copy ---- */

KEEP void note(long v)
{
	noted = v;
}

KEEP long lined(long n)
{
	long own = n * 3;

	note(own); /* the line */
	return own + noted;
}

ALWAYS_INLINE long twice(long half)
{
	long whole = half * 2;

	note(whole);
	return whole;
}

KEEP long copies(long n)
{
	return twice(n) + 1;
}

/* ---- a frame that is left ---- */

static jmp_buf home;

KEEP long leave(long n)
{
	if (n >= 0)
		longjmp(home, 1);
	return n;
}

KEEP long left(long n)
{
	return leave(n) + 1;
}

KEEP long stay(long n)
{
	if (setjmp(home))
		return 5;
	return left(n);
}

/* ---- functions that are made ---- */

/* push %rbp; mov %rsp,%rbp; lea (%rdi,%rdi,2),%rax; pop %rbp; ret */
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0x48,
				     0x8d, 0x04, 0x7f, 0x5d, 0xc3};
static const char name[] = "Forms.Worker:Handle (long)";
static char list[64]; /* of functions: a file of its own */

typedef long made_fn(long n);
static made_fn *made;

struct jitdump {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
	/* a record: a function is there */
	uint32_t kind, record_size;
	uint64_t record_time;
	uint32_t its_pid, tid;
	uint64_t vma, address, code_size, index;
	char name[sizeof(name)];
	unsigned char code[sizeof(code)];
} __attribute__((packed));

static void write_list(int fd, int is_dump)
{
	struct jitdump d = {.magic = 0x4a695444,
			    .version = 1,
			    .size = 40,
			    .machine = EM_X86_64,
			    .pid = (uint32_t)getpid(),
			    .record_size = sizeof(d) - 40,
			    .its_pid = (uint32_t)getpid(),
			    .tid = (uint32_t)getpid(),
			    .vma = (uintptr_t)made,
			    .address = (uintptr_t)made,
			    .code_size = sizeof(code)};

	memcpy(d.name, name, sizeof(name));
	memcpy(d.code, code, sizeof(code));
	if (!is_dump)
		dprintf(fd, "%lx %zx %s\n", (unsigned long)(uintptr_t)made,
			sizeof(code), name);
	else if (write(fd, &d, sizeof(d)) != sizeof(d) ||
		 mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) ==
			 MAP_FAILED)
		exit(2);
}

static void make(int is_dump)
{
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd;

	if (page == MAP_FAILED)
		exit(2);
	memcpy(page, code, sizeof(code));
	made = (made_fn *)page;
	snprintf(list, sizeof(list), is_dump ? "/tmp/jit-%d.dump" : "/tmp/perf-%d.map",
		 (int)getpid());
	unlink(list);
	fd = open(list, O_CREAT | O_EXCL | O_RDWR, 0644);
	if (fd < 0)
		exit(2);
	write_list(fd, is_dump);
	close(fd);
}

/* ---- a library that is mapped without the loader ---- */

static char *library;
static size_t library_size;

/* The value of a function, by the dynamic symbols. */
static uint64_t value_of(const char *file, const char *function)
{
	const Elf64_Ehdr *h = (const void *)file;
	const Elf64_Shdr *s = (const void *)(file + h->e_shoff);

	for (int i = 0; i < h->e_shnum; i++) {
		const Elf64_Sym *sym = (const void *)(file + s[i].sh_offset);
		const char *names = file + s[s[i].sh_link].sh_offset;

		for (size_t k = 0;
		     s[i].sh_type == SHT_DYNSYM && k < s[i].sh_size / sizeof(*sym); k++)
			if (strcmp(names + sym[k].st_name, function) == 0)
				return sym[k].st_value;
	}
	exit(2);
}

/* Once more: where it was, or elsewhere. */
static made_fn *map_library(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY);

	if (library)
		munmap(library, library_size);
	if (fd < 0 || fstat(fd, &st))
		exit(2);
	library_size = (size_t)st.st_size;
	library = mmap(NULL, library_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	if (library == MAP_FAILED)
		exit(2);
	return (made_fn *)(void *)(library + value_of(library, "leaf_twice"));
}

/* ---- what it is told ---- */

KEEP long one_round(long n, made_fn *leaf)
{
	guarded(n);
	return lined(n) + copies(n) + stay(n) + made(n) + leaf(n);
}

static void work(const char *path, long n)
{
	made_fn *leaf = map_library(path);

	for (long i = 0; i < n; i++)
		sum += one_round(rounds++, leaf);
}

static const char *state(void)
{
	return memcmp((const void *)made, code, sizeof(code)) ? "changed" : "same";
}

static void fork_child(const char *path)
{
	pid_t child = fork();
	int status = -1;

	if (child == 0) {
		sum = rounds = 0;
		work(path, CHILD_ROUNDS);
		/* each round n: 6n of its line, 2n + 1, 5, 3n, 2n */
		if (sum !=
		    13L * CHILD_ROUNDS * (CHILD_ROUNDS - 1) / 2 + 6L * CHILD_ROUNDS)
			_exit(1);
		_exit(guarded_semaphore ? 2 : strcmp(state(), "same") ? 3 : 0);
	}
	waitpid(child, &status, 0);
	printf("child %d\n", status);
}

int main(int argc, char **argv)
{
	char line[32];

	if (argc < 3)
		return 2;
	make(argv[2][0] == 'd');
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	while (read(0, line, sizeof(line)) > 0) { /* a line at a time is written */
		if (line[0] == 'e') {
			unlink(list);
			execv("/proc/self/exe", argv);
		}
		if (line[0] == 'f') {
			fork_child(argv[1]);
		} else {
			work(argv[1], atol(line));
			printf("done %ld %ld %u %s\n", rounds, sum, guarded_semaphore,
			       state());
		}
		fflush(stdout);
	}
	unlink(list);
	return 3;
}
