/* SPDX-License-Identifier: MIT */
/*
 * A process in which no dtrace ever was, with an undo log (hook/undo_log.h) that it has
 * written itself.
 *
 *	forged KIND
 *
 * Code of it, and data, have bytes that differ from those of the files, as if they were
 * breakpoints or detours. It prints, and then waits for SIGTERM:
 *
 *	stays ADDRESS BYTES	must be so whatever the log says
 *	becomes ADDRESS BYTES	the log proves that these are the program's own
 *	ready
 */
#include "hook/undo_log.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define INT3  0xcc
#define SITES 4096u
#define WILD  UINT64_C(0xfffffffffffff000)

enum { PATCHED = 5 };

/* A log, and where in this process it is. */
struct forged {
	struct undo_head *head;
	struct undo_memory *memory;
	undo_semaphore *semaphores;
	struct undo_site *sites;
	struct undo_patch *patches;
	uint8_t *text;
	uint8_t stack[8]; /* that of main() */
};

/* In pages of their own. */
__attribute__((noinline, aligned(4096))) static uint64_t victim(uint64_t a)
{
	return a * 31 + 7;
}

static uint16_t semaphore = 5;
static uint8_t data[64] __attribute__((aligned(64))) = {INT3, 1, 2, 3, INT3, 5, 6, 7};

static uint8_t *code_of_victim(void)
{
	uint64_t (*f)(uint64_t) = victim;
	uint8_t *code;

	memcpy(&code, &f, sizeof(code));
	__asm__("" : "+r"(code)); /* the compiler need not know what it is */
	return code;
}

static void print_claim(const char *what, const void *at, const uint8_t *bytes,
			size_t n)
{
	printf("%s %lx ", what, (unsigned long)(uintptr_t)at);
	for (size_t i = 0; i < n; i++)
		printf("%02x", bytes[i]);
	printf("\n");
}

static void stays(const void *at, size_t n)
{
	print_claim("stays", at, at, n);
}

static void becomes(const void *at, const uint8_t *bytes, size_t n)
{
	print_claim("becomes", at, bytes, n);
}

static void *map(uint64_t n, int prot, int flags, int fd)
{
	void *p = mmap(NULL, n, prot, flags, fd, 0);

	if (p == MAP_FAILED)
		_exit(1);
	return p;
}

/* A mapping of a file that has the name of a log. */
static void *map_log(uint64_t n)
{
	int fd = memfd_create(UNDO_FILE, 0);

	if (fd < 0 || ftruncate(fd, (off_t)n) < 0)
		_exit(1);
	return map(n, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
}

static void add_part(struct forged *f, enum undo_kind kind, void *at, uint64_t size)
{
	f->head->parts[f->head->nparts++] = (struct undo_part){.at = (uintptr_t)at,
							       .size = size,
							       .kind = kind,
							       .room = SITES,
							       .used = 8};
}

/* The page that makes a log known, as a keeper writes it. */
static void map_text(struct forged *f, int flags)
{
	struct trap_text *text;

	f->text = map(2 * UNDO_PAGE, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1);
	text = (void *)f->text;
	*text = (struct trap_text){.magic = TRAP_MAGIC,
				   .version = TRAP_VERSION,
				   .bytes = sizeof(*text),
				   .log = (uintptr_t)f->head};
	mprotect(f->text, UNDO_PAGE, PROT_READ | PROT_EXEC);
	f->head->text = (uintptr_t)f->text;
}

static void forge(struct forged *f)
{
	f->head = map_log(UNDO_HEAD_BYTES);
	f->memory = (void *)((char *)f->head + UNDO_MEMORY_AT);
	f->semaphores = (void *)((char *)f->head + UNDO_SEMAPHORES_AT);
	f->sites = map_log(SITES * sizeof(*f->sites));
	f->patches = map_log(SITES * sizeof(*f->patches));
	*f->head = (struct undo_head){.magic = UNDO_MAGIC,
				      .version = UNDO_VERSION,
				      .bytes = sizeof(*f->head),
				      .size = UNDO_HEAD_BYTES};
	add_part(f, UNDO_SITES, f->sites, SITES * sizeof(*f->sites));
	add_part(f, UNDO_PATCHES, f->patches, SITES * sizeof(*f->patches));
	map_text(f, MAP_PRIVATE);
}

/* n int3 in place of what the file has. */
static void change_code(size_t n)
{
	uint8_t *code = code_of_victim();

	mprotect(code, UNDO_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	memset(code, INT3, n);
	mprotect(code, UNDO_PAGE, PROT_READ | PROT_EXEC);
}

static void claim_site(struct undo_site *site, const void *at, uint8_t own)
{
	*site = (struct undo_site){.at = (uintptr_t)at, .own = own, .is_set = 1};
}

static void claim_patch(struct undo_patch *p, const void *at, const uint8_t *own)
{
	*p = (struct undo_patch){.at = (uintptr_t)at, .n = PATCHED};
	memcpy(p->own, own, PATCHED);
	memset(p->ours, INT3, PATCHED);
}

/* A breakpoint in the victim, with the program's own byte, xor wrong. */
static void claim_breakpoint(struct forged *f, uint8_t wrong)
{
	uint8_t *code = code_of_victim(), own = code[0];

	claim_site(&f->sites[0], code, own ^ wrong);
	change_code(1);
	if (wrong)
		stays(code, 1);
	else
		becomes(code, &own, 1);
}

/* A detour there, its last byte xor wrong; with others that overlap it. */
static void claim_detour(struct forged *f, uint8_t wrong)
{
	uint8_t *code = code_of_victim(), own[PATCHED + 3];

	memcpy(own, code, sizeof(own));
	own[PATCHED - 1] ^= wrong;
	claim_patch(&f->patches[0], code, own);
	claim_patch(&f->patches[1], code + 1, data);
	claim_patch(&f->patches[2], code - 1, data);
	f->patches[1].n = 255;
	f->patches[0].resume = (uintptr_t)data;
	change_code(PATCHED);
	if (wrong)
		stays(code, PATCHED);
	else
		becomes(code, own, PATCHED);
}

/* ---- kinds ---- */

static void honest(struct forged *f)
{
	claim_breakpoint(f, 0);
}

static void honest_detour(struct forged *f)
{
	claim_detour(f, 0);
}

static void wrong_byte(struct forged *f)
{
	claim_breakpoint(f, 0x10);
}

static void wrong_detour(struct forged *f)
{
	claim_detour(f, 0x10);
}

/* As a file that a client has given to a server: nothing private names it. */
static void unnamed(struct forged *f)
{
	uint8_t *code = code_of_victim();

	claim_site(&f->sites[0], code, code[0]);
	munmap(f->text, 2 * UNDO_PAGE);
	change_code(1);
	stays(code, 1);
}

/* What names it is in memory that others may write to. */
static void shared(struct forged *f)
{
	unnamed(f);
	map_text(f, MAP_SHARED);
}

/* No code at all, or code of others: data, stack, the log, shared memory, the kernel. */
static void elsewhere(struct forged *f)
{
	uint8_t *code = map(UNDO_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_SHARED | MAP_ANONYMOUS, -1);
	size_t n = 0;

	code[0] = f->stack[0] = INT3;
	claim_site(&f->sites[n++], data, 0x90);
	claim_site(&f->sites[n++], data + 4, 0x90);
	claim_site(&f->sites[n++], f->stack, 0x90);
	claim_site(&f->sites[n++], code, 0x90);
	claim_site(&f->sites[n++], &f->sites[100], 0x90);
	claim_site(&f->sites[n++], (void *)WILD, 0x90);
	claim_site(&f->sites[n++], (void *)(uintptr_t)-1, 0x90);
	claim_site(&f->sites[n++], NULL, 0x90);
	claim_patch(&f->patches[0], data, data + 8);
	memcpy(f->patches[0].ours, data, PATCHED);
	memset(&f->sites[100], INT3, sizeof(f->sites[100]));
	f->semaphores[0] = (uintptr_t)code;
	f->semaphores[1] = (uintptr_t)code_of_victim();
	f->semaphores[2] = WILD;
	f->semaphores[3] = (uintptr_t)-1;
	f->head->nsemaphores = 4;
	stays(data, sizeof(data));
	stays(f->stack, sizeof(f->stack));
	stays(code, 8);
	stays(code_of_victim(), 16);
	stays(&f->sites[100], sizeof(f->sites[100]));
}

/* Parts that are none, or end after the end; counts without sense. */
static void sizes(struct forged *f)
{
	static const uint64_t at[] = {0, 1, WILD, UINT64_MAX, UINT64_C(1) << 47};
	struct undo_head *head = f->head;

	claim_breakpoint(f, 0x10);
	for (uint32_t i = 0; i < UNDO_PARTS_MAX; i++)
		head->parts[i] = (struct undo_part){
			.at = i % 6 == 5 ? (uintptr_t)f->sites : at[i % 6],
			.size = UINT64_MAX,
			.kind = i % 7 ? i % 2 : UINT32_MAX,
			.first = UINT32_MAX,
			.room = UINT32_MAX,
			.used = i % 3 ? UINT32_MAX : SITES};
	head->nparts = UNDO_PARTS_MAX;
	head->leave_trap = (uintptr_t)f->text;
	memset(&f->sites[1], 0xff, (SITES - 1) * sizeof(*f->sites));
	memset(f->patches, 0xff, SITES * sizeof(*f->patches));
}

/* More than the log holds. */
static void counts(struct forged *f)
{
	claim_site(&f->sites[0], code_of_victim(), *code_of_victim());
	change_code(1);
	stays(code_of_victim(), 1);
	f->head->nparts = UINT32_MAX;
	f->head->nmemory = UINT32_MAX;
	f->head->nsemaphores = UINT32_MAX;
}

/* All that the process has is said to be memory of dtrace. */
static void memory(struct forged *f)
{
	const uintptr_t page = UNDO_PAGE;
	const uintptr_t of[] = {(uintptr_t)code_of_victim(), (uintptr_t)data,
				(uintptr_t)&page, (uintptr_t)memcpy,
				(uintptr_t)f->semaphores};
	uint32_t n = 0;

	claim_breakpoint(f, 0);
	for (size_t i = 0; i < sizeof(of) / sizeof(*of) - 1; i++) {
		f->memory[n++] = (struct undo_memory){of[i] & ~(page - 1), page};
		f->memory[n++] = (struct undo_memory){of[i] & ~(page - 1), 64 * page};
		f->memory[n++] = (struct undo_memory){of[i], 3};
	}
	f->memory[n++] = (struct undo_memory){0, UINT64_C(1) << 47};
	f->memory[n++] = (struct undo_memory){page, UINT64_MAX - page + 1};
	f->memory[n++] = (struct undo_memory){WILD, WILD};
	f->memory[n++] = (struct undo_memory){0, UINT64_MAX};
	f->head->nmemory = n;
	stays(data, sizeof(data));
	stays((const void *)(uintptr_t)memcpy, 16);
}

/* Something is left, and so is the log: a semaphore is lowered once all the same. */
static void lowered(struct forged *f)
{
	static const uint16_t once = 4;

	claim_breakpoint(f, 0x10);
	f->semaphores[0] = (uintptr_t)&semaphore;
	f->head->nsemaphores = 1;
	becomes(&semaphore, (const uint8_t *)&once, sizeof(once));
}

static const struct {
	const char *name;
	void (*forge)(struct forged *f);
} kinds[] = {
	{"honest", honest},	    {"honest_detour", honest_detour},
	{"wrong_byte", wrong_byte}, {"wrong_detour", wrong_detour},
	{"unnamed", unnamed},	    {"shared", shared},
	{"elsewhere", elsewhere},   {"sizes", sizes},
	{"counts", counts},	    {"memory", memory},
	{"lowered", lowered},
};

int main(int argc, char **argv)
{
	struct forged f = {.head = NULL};
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	forge(&f);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (argc > 1 && strcmp(argv[1], kinds[i].name) == 0)
			kinds[i].forge(&f);
	printf("ready\n");
	fflush(stdout);
	sigwait(&set, &sig);
	printf("ok\n");
	return 0;
}
