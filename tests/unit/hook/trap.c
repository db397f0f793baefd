/* SPDX-License-Identifier: MIT */
/*
 * Our SIGTRAP handler (hook/trap/) in a process of its own, with an undo log made here:
 * what each trap does while the keeper lives, and after its death.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "hook/undo_log.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define INT3 0xcc

/*
 * Code of the program, copied to a page: 0 returns 1, 16 returns 2. Sites are at 0 and 16:
 * instructions of five bytes.
 */
static const uint8_t program[32] = {
	[0] = 0xb8, 1, 0, 0, 0, 0xc3, [16] = 0xb8, 2, 0, 0, 0, 0xc3};

static struct undo_head head;
static struct undo_site sites[2];
static uint8_t *code;
static volatile sig_atomic_t handled, code_seen;

static int call(size_t at)
{
	int (*f)(void);
	void *p = code + at;

	memcpy(&f, &p, sizeof(f));
	return f();
}

static void own_handler(int sig, siginfo_t *info, void *context)
{
	(void)context;
	handled += sig == SIGTRAP;
	code_seen = info->si_code;
}

static void set_action(const struct trap_action *action)
{
	if (syscall(SYS_rt_sigaction, SIGTRAP, action, NULL, 8) < 0)
		_exit(100);
}

/* The handler is mapped and set; what was set before is its head's own action. */
static void install(bool is_dead)
{
	const struct trap_text *text = (const void *)trap_bin;
	const struct undo_head *at = &head;
	uint8_t *page = mmap(NULL, UNDO_PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(page, trap_bin, text->bytes);
	memcpy(page + offsetof(struct trap_text, log), &at, sizeof(at));
	mprotect(page, UNDO_PAGE, PROT_READ | PROT_EXEC);
	head.parts[0] =
		(struct undo_part){.at = (uintptr_t)sites, .used = 2, .room = 2};
	head.nparts = 1;
	head.keeper = is_dead ? UNDO_KEEPER_DIED : 1;
	syscall(SYS_rt_sigaction, SIGTRAP, NULL, &head.own, 8);
	head.ours = (struct trap_action){(uintptr_t)page + text->handler,
					 TRAP_SIGINFO | TRAP_NODEFER | TRAP_RESTORER |
						 TRAP_ONSTACK,
					 (uintptr_t)page + text->restorer, 0};
	set_action(&head.ours);
}

static void place_sites(void)
{
	code = mmap(NULL, UNDO_PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(code, program, sizeof(program));
	for (size_t i = 0; i < 2; i++) {
		uint8_t *at = code + 16 * i;

		sites[i] = (struct undo_site){
			.at = (uintptr_t)at, .own = at[0], .is_set = 1, .nnext = 4};
		memcpy(sites[i].next, at + 1, 4);
		at[0] = INT3;
	}
	mprotect(code, UNDO_PAGE, PROT_READ | PROT_EXEC);
}

/* ---- what children do: 0 is right ---- */

static int restores_all(void)
{
	install(true);
	if (call(0) != 1)
		return 1;
	return memcmp(code, program, sizeof(program)) ? 2 : 0;
}

/* Without a descriptor for /proc/self/mem. */
static int restores_in_place(void)
{
	const struct rlimit none = {0, 0};

	install(true);
	setrlimit(RLIMIT_NOFILE, &none);
	return call(0) == 1 && code[16] == INT3 && call(16) == 2 &&
			       code[16] == program[16]
		       ? 0
		       : 1;
}

static int restores_ignored(void)
{
	signal(SIGTRAP, SIG_IGN);
	return restores_all();
}

/* The keeper lives, and has nothing to do with this process. */
static int restores_one(void)
{
	install(false);
	return call(0) == 1 && code[0] == program[0] && code[16] == INT3 ? 0 : 1;
}

/* Other code stands around the byte: it is no site. */
static int leaves_others(void)
{
	mprotect(code, UNDO_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	code[17] = 7;
	install(true);
	return call(0) == 1 && code[0] == program[0] && code[16] == INT3 ? 0 : 1;
}

/* The pc is after the whole instruction: the keeper has run it. */
static int keeps_marked(void)
{
	install(true);
	mprotect(code, UNDO_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	/* mov $7, %eax; then an int3 that is a site in the log: it was run there */
	memcpy(code + 32, (const uint8_t[]){0xb8, 7, 0, 0, 0, INT3, 0xc3}, 7);
	sites[1].at = (uintptr_t)code + 37;
	sites[1].own = 0xc3;
	sites[1].nnext = 0;
	head.mark.pc = (uintptr_t)code + 38;
	return call(32) == 7 && code[37] == 0xc3 ? 0 : 1;
}

static int set_own(uint64_t flags)
{
	struct sigaction sa = {.sa_flags = (int)(flags | SA_SIGINFO)};

	sa.sa_sigaction = own_handler;
	return sigaction(SIGTRAP, &sa, NULL);
}

static int passes_on(void)
{
	set_own(0);
	install(false);
	__asm__ volatile("int3");
	if (handled != 1 || code_seen != SI_KERNEL)
		return 1;
	raise(SIGTRAP);
	return handled == 2 && code_seen <= 0 ? 0 : 2;
}

static int passes_on_after_death(void)
{
	set_own(SA_ONSTACK);
	install(true);
	raise(SIGTRAP);
	__asm__ volatile("int3\n\tnop");
	return handled == 2 && call(16) == 2 && handled == 2 ? 0 : 1;
}

static int ignores(void)
{
	signal(SIGTRAP, SIG_IGN);
	install(false);
	raise(SIGTRAP);
	return 0;
}

/* These end by SIGTRAP. */
static int dies_by_default(void)
{
	install(true);
	__asm__ volatile("int3\n\tnop");
	return 1;
}

static int dies_though_ignored(void)
{
	signal(SIGTRAP, SIG_IGN);
	install(false);
	__asm__ volatile("int3\n\tnop");
	return 1;
}

static int dies_of_kill(void)
{
	install(false);
	raise(SIGTRAP);
	return 1;
}

/* The end of a child that does this. */
static int end_of(int (*act)(void))
{
	const struct rlimit no_core = {0, 0};
	int status;
	pid_t child = fork();

	if (child == 0) {
		setrlimit(RLIMIT_CORE, &no_core);
		place_sites();
		_exit(act());
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void test_lives(void **state)
{
	static const struct {
		const char *what;
		int (*act)(void);
	} cases[] = {
		{"restores all sites", restores_all},
		{"restores in place", restores_in_place},
		{"restores where SIGTRAP was ignored", restores_ignored},
		{"restores one site", restores_one},
		{"leaves other code alone", leaves_others},
		{"keeps a marked pc", keeps_marked},
		{"passes on", passes_on},
		{"passes on after the keeper's death", passes_on_after_death},
		{"ignores", ignores},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int status = end_of(cases[i].act);

		if (status)
			print_error("%s: status %#x\n", cases[i].what, status);
		assert_int_equal(status, 0);
	}
}

static void test_dies(void **state)
{
	int (*const acts[])(void) = {dies_by_default, dies_though_ignored,
				     dies_of_kill};

	(void)state;
	for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++)
		assert_int_equal(end_of(acts[i]) & 0x7f, SIGTRAP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lives),
		cmocka_unit_test(test_dies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
