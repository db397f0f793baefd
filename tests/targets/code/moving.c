/* SPDX-License-Identifier: MIT */
/*
 * moving HOW [CALLS]: a function that has a page for itself is called CALLS times, 3 unless
 * said otherwise; then the program does something to that page, and calls it again. Each
 * result is checked.
 *
 *	move	the page is moved by mremap(), and called where it is now
 *	back	moved there and back, and called where it was
 *	grow	two pages are moved, in which it is the second one
 *	over	the file is mapped over it
 *	gone	unmapped, and another piece of code mapped there
 *	rewrite	made writable: other code is written over it
 *	same	made writable: what the file has is written over it
 *	fill	made writable: int3 is written over it, and it is not called
 *	raw	as move, by a system call of its own
 *	crowd	as raw; then four threads call it at the same time
 *	data	memory without code is moved 100000 times: says how often that was a stop
 *	trap	unmapped, and a trap of the program's own, as far into its page, is reached
 *	padded	unmapped, and code with a trap of its own mapped there, and moved
 *	pieces	every byte of it is written, one after the other, with calls in between
 *	fork	a child moves it, then the parent calls it where it was
 *
 * With a third argument, before the end: prints "ready", waits for a line on its input,
 * and says whether the page is what the program has made of it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096

typedef long function(long);

/* More than one instruction, of which the first has a single byte. */
__asm__(".pushsection .moving, \"ax\", @progbits\n"
	".balign 4096\n"
	"before_moving:\n"
	"	.fill 4096, 1, 0xcc\n"
	".globl moving\n"
	".type moving, @function\n"
	"moving:\n"
	".cfi_startproc\n"
	"	push %rbp\n"
	".cfi_adjust_cfa_offset 8\n"
	"	mov %rsp, %rbp\n"
	"	lea 100(%rdi), %rax\n"
	"	nop\n"
	"	nop\n"
	"	pop %rbp\n"
	".cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size moving, . - moving\n"
	".balign 4096, 0xcc\n"
	".globl own_trap\n"
	".type own_trap, @function\n"
	"own_trap:\n"
	"	int3\n"
	"	lea 300(%rdi), %rax\n"
	"	ret\n"
	".size own_trap, . - own_trap\n"
	".balign 4096, 0xcc\n"
	".popsection\n");
extern unsigned char before_moving[], moving[], own_trap[];

/* lea 200(%rdi), %rax; ret */
static const unsigned char other[] = {0x48, 0x8d, 0x87, 200, 0, 0, 0, 0xc3};

static int calls;
static unsigned char wanted[PAGE]; /* what the file has of the page */
static off_t in_file;
static int file;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void call(const void *at, long more)
{
	function *f = (function *)(uintptr_t)at;

	for (int i = 0; i < calls; i++)
		if (f(i) != i + more) {
			printf("call %d: %ld\n", i, f(i));
			exit(1);
		}
}

/* The file has the page where all other pages say it. */
static void find_in_file(void)
{
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long lo, hi, offset;

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &lo, &hi, &offset) == 3 &&
		    lo <= (uintptr_t)moving && (uintptr_t)moving < hi)
			in_file = (off_t)(offset + ((uintptr_t)moving - lo));
	if (maps)
		fclose(maps);
	file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (file < 0 || pread(file, wanted, PAGE, in_file) != PAGE)
		die("/proc/self/exe");
}

static unsigned char *elsewhere(size_t n)
{
	unsigned char *p = mmap(NULL, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	return p;
}

static unsigned char *move(unsigned char *from, size_t n, unsigned char *to)
{
	unsigned char *p = mremap(from, n, n, MREMAP_MAYMOVE | MREMAP_FIXED, to);

	if (p == MAP_FAILED)
		die("mremap");
	return p;
}

static void allow_writing(void)
{
	if (mprotect(moving, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
		die("mprotect");
}

static const unsigned char *do_move(void)
{
	unsigned char *p = move(moving, PAGE, elsewhere(PAGE));

	call(p, 100);
	return p;
}

static unsigned char *move_raw(void)
{
	unsigned char *p = elsewhere(PAGE);
	register long flags __asm__("r10") = MREMAP_MAYMOVE | MREMAP_FIXED;
	register void *to __asm__("r8") = p;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_mremap), "D"(moving), "S"((long)PAGE),
			   "d"((long)PAGE), "r"(flags), "r"(to)
			 : "rcx", "r11", "memory");
	if (result != (long)(uintptr_t)p)
		die("mremap");
	return p;
}

static const unsigned char *do_raw(void)
{
	unsigned char *p = move_raw();

	call(p, 100);
	return p;
}

static pthread_barrier_t start;

static void *call_with_others(void *at)
{
	pthread_barrier_wait(&start);
	call(at, 100);
	return NULL;
}

static const unsigned char *do_crowd(void)
{
	pthread_t threads[4];
	unsigned char *p = move_raw();

	pthread_barrier_init(&start, NULL, 4);
	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, call_with_others, p))
			die("pthread_create");
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return p;
}

static const unsigned char *do_data(void)
{
	unsigned char *p = elsewhere(PAGE), *q = elsewhere(PAGE), *last;
	struct rusage before, after;

	getrusage(RUSAGE_SELF, &before);
	for (int i = 0; i < 100000; i++) {
		last = p;
		p = move(p, PAGE, q);
		q = last;
	}
	getrusage(RUSAGE_SELF, &after);
	printf("stops %ld\n", after.ru_nvcsw - before.ru_nvcsw);
	call(moving, 100);
	return moving;
}

static const unsigned char *do_back(void)
{
	unsigned char *p = move(moving, PAGE, elsewhere(PAGE));

	call(p, 100);
	move(p, PAGE, moving);
	call(moving, 100);
	return moving;
}

static const unsigned char *do_grow(void)
{
	unsigned char *p =
		move(before_moving, 2 * (size_t)PAGE, elsewhere(2 * (size_t)PAGE));

	call(p + PAGE, 100);
	return p + PAGE;
}

static const unsigned char *do_over(void)
{
	if (mmap(moving, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file,
		 in_file) != moving)
		die("mmap");
	call(moving, 100);
	return moving;
}

static void write_other(void)
{
	memset(moving, 0x90, 64);
	memcpy(moving, other, sizeof(other));
	memset(wanted, 0x90, 64);
	memcpy(wanted, other, sizeof(other));
}

static const unsigned char *do_gone(void)
{
	if (munmap(moving, PAGE))
		die("munmap");
	memset(wanted, 0, PAGE);
	if (mmap(moving, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != moving)
		die("mmap");
	write_other();
	call(moving, 200);
	return moving;
}

static volatile sig_atomic_t traps;

static void on_trap(int sig)
{
	(void)sig;
	traps++;
}

static const unsigned char *do_trap(void)
{
	signal(SIGTRAP, on_trap);
	do_gone();
	call(own_trap, 300);
	if (traps != calls) {
		printf("%d traps, not %d\n", (int)traps, calls);
		exit(1);
	}
	return moving;
}

static const unsigned char *do_padded(void)
{
	unsigned char *p;

	do_gone();
	allow_writing(); /* dtrace sees that the sites are lost */
	moving[sizeof(other)] = wanted[sizeof(other)] = 0xcc;
	memset(moving + sizeof(other) + 1, 0x91, 64);
	memset(wanted + sizeof(other) + 1, 0x91, 64);
	p = move(moving, PAGE, elsewhere(PAGE));
	call(p, 200);
	return p;
}

static const unsigned char *do_rewrite(void)
{
	allow_writing();
	write_other();
	call(moving, 200);
	return moving;
}

static const unsigned char *do_same(void)
{
	allow_writing();
	memcpy(moving, wanted, PAGE);
	call(moving, 100);
	return moving;
}

/* As an engine marks code that it has dropped. */
static const unsigned char *do_fill(void)
{
	allow_writing();
	memset(moving, 0xcc, PAGE);
	memset(wanted, 0xcc, PAGE);
	return moving;
}

/* A JIT's code is made of bytes, and called when they are complete. */
static const unsigned char *do_pieces(void)
{
	allow_writing();
	for (int round = 0; round < 8; round++) {
		for (int i = 0; i < 64; i++)
			*(volatile unsigned char *)&moving[i] = wanted[i];
		call(moving, 100);
		write_other();
		call(moving, 200);
		if (pread(file, wanted, PAGE, in_file) != PAGE)
			die("/proc/self/exe");
	}
	memcpy(moving, wanted, 64);
	call(moving, 100);
	return moving;
}

static const unsigned char *do_fork(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		do_move();
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || status) {
		printf("child: %x\n", status);
		exit(1);
	}
	call(moving, 100);
	return moving;
}

static const struct {
	const char *how;
	const unsigned char *(*act)(void);
} ways[] = {{"move", do_move},	 {"back", do_back}, {"grow", do_grow},
	    {"over", do_over},	 {"gone", do_gone}, {"rewrite", do_rewrite},
	    {"same", do_same},	 {"fork", do_fork}, {"pieces", do_pieces},
	    {"raw", do_raw},	 {"data", do_data}, {"fill", do_fill},
	    {"crowd", do_crowd}, {"trap", do_trap}, {"padded", do_padded}};

/* Whether dtrace, which has gone, has left the page as the program had made it. */
static void compare(const unsigned char *at)
{
	char line[16];

	printf("ready\n");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(1);
	for (int i = 0; i < PAGE; i++)
		if (at[i] != wanted[i]) {
			printf("byte %d: %02x, not %02x\n", i, at[i], wanted[i]);
			exit(1);
		}
	printf("same bytes\n");
}

int main(int argc, char **argv)
{
	const unsigned char *at = NULL;
	char line[16];

	calls = argc > 2 ? atoi(argv[2]) : 3;
	find_in_file();
	if (argc > 3) {
		printf("begin\n");
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			return 1;
	}
	call(moving, 100);
	for (size_t i = 0; argc > 1 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(argv[1], ways[i].how) == 0)
			at = ways[i].act();
	if (!at)
		return 2;
	if (argc > 3)
		compare(at);
	printf("%s done\n", argv[1]);
	return 0;
}
