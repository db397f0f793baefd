/* SPDX-License-Identifier: MIT */
/*
 * What a SIGTRAP means in a process that has, or had, breakpoints of ours. While the
 * keeper lives it takes those of breakpoints itself, and what arrives here is the
 * program's own, or that of a process which the keeper does not trace. After its death:
 *
 *	pc		byte before	what it is
 *	site + 1	any		a breakpoint, not handled yet: the pc goes back
 *					to the program's own instruction
 *	of the mark	any		handled: the keeper died before it resumed the
 *					thread, which it had moved
 *	leave_trap	int3		the end of a firing that a signal waits for
 *	a site		any		handled: the thread was to hit it again
 *	other		no int3		handled
 *	other		int3		the program's own
 *
 * The first thread that comes here after the keeper's death restores all breakpoints of
 * the process, through /proc/self/mem: no mapping changes, and a page that has gone is
 * an error and no fault. Where there is no /proc, each thread makes the page of its
 * breakpoint writable, which it stays: others may be about to write to it.
 */
#include "hook/resident/sys.h"
#include "hook/undo_log.h"

#include <stddef.h>

#define INT3	   0xcc
#define INT_PREFIX 0xcd /* int $3 */
#define TRAP	   5
#define FLAG_TF	   0x100

#define CODE_KERNEL 0x80 /* SI_KERNEL: of an int3 */
#define CODE_TRACE  2	 /* TRAP_TRACE */

#define O_RDWR_CLOEXEC 02000002
#define PROT_ALL       7

/* siginfo_t. */
struct trap_info {
	int32_t signal, error, code;
};

/* ucontext_t, as the kernel has it. */
struct trap_context {
	uint64_t flags, link, stack[3];
	uint64_t r8_to_r15[8], rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, eflags;
	uint64_t segments, error, number, old_mask, cr2, fp, reserved[8];
	uint64_t mask;
};
_Static_assert(offsetof(struct trap_context, mask) == 296, "as in the kernel");

struct trap {
	const struct undo_head *head;
	const struct trap_info *info;
	struct trap_context *context;
	bool is_dead;	/* the keeper */
	int64_t memory; /* /proc/self/mem; negative: there is none */
};

/* What entry_x86_64.S calls: the program's handler that is to run, or 0. */
uint64_t trap_judge(const struct undo_head *head, const struct trap_info *info,
		    struct trap_context *context);

static bool is_marked(const struct trap *t)
{
	uint64_t pc = atomic_load_explicit(&t->head->mark.pc, memory_order_relaxed);
	uint64_t sp = atomic_load_explicit(&t->head->mark.sp, memory_order_relaxed);

	return pc == t->context->rip && (!sp || sp == t->context->rsp);
}

/* The sites of the part, and how many there are. */
static const struct undo_site *sites_of(const struct undo_head *head, uint32_t part,
					uint32_t *n)
{
	const struct undo_part *p = &head->parts[part];

	*n = p->kind == UNDO_SITES
		     ? atomic_load_explicit(&p->used, memory_order_acquire)
		     : 0;
	return (const struct undo_site *)(uintptr_t)p->at;
}

static uint32_t parts_of(const struct undo_head *head)
{
	return atomic_load_explicit(&head->nparts, memory_order_acquire);
}

static const struct undo_site *find_site(const struct undo_head *head, uint64_t at)
{
	for (uint32_t i = 0, n; i < parts_of(head); i++) {
		const struct undo_site *sites = sites_of(head, i, &n);

		for (uint32_t k = 0; k < n; k++)
			if (sites[k].at == at)
				return &sites[k];
	}
	return NULL;
}

/* The byte at the address, which is mapped as the thread has just run it; or int3. */
static uint8_t byte_at(uint64_t addr)
{
	return sys_is_readable(addr & ~UINT64_C(7))
		       ? *(const volatile uint8_t *)(uintptr_t)addr
		       : INT3;
}

/* Whether the program's code is still around the breakpoint: others may be in there. */
static bool is_site(const struct undo_site *site, const uint8_t *now)
{
	if (now[0] != INT3)
		return false;
	for (uint32_t i = 0; i < site->nnext; i++)
		if (now[1 + i] != site->next[i] && now[1 + i] != INT3)
			return false;
	return true;
}

static void restore_site(const struct trap *t, const struct undo_site *site)
{
	uint8_t now[1 + UNDO_NEXT];
	const int64_t n = 1 + site->nnext;

	if (machine_syscall(ARCH_SYS_PREAD64, (uint64_t)t->memory, (uintptr_t)now,
			    (uint64_t)n, site->at) == n &&
	    is_site(site, now))
		machine_syscall(ARCH_SYS_PWRITE64, (uint64_t)t->memory,
				(uintptr_t)&site->own, 1, site->at);
}

static void restore_all(const struct trap *t)
{
	for (uint32_t i = 0, n; i < parts_of(t->head); i++) {
		const struct undo_site *sites = sites_of(t->head, i, &n);

		for (uint32_t k = 0; k < n; k++)
			if (sites[k].is_set && sites[k].nnext <= UNDO_NEXT)
				restore_site(t, &sites[k]);
	}
}

static void restore_in_place(const struct undo_site *site)
{
	const uint64_t page = site->at & ~(uint64_t)(UNDO_PAGE - 1);

	if (machine_syscall(ARCH_SYS_MPROTECT, page, UNDO_PAGE, PROT_ALL, 0) == 0)
		*(volatile uint8_t *)(uintptr_t)site->at = site->own;
}

/*
 * site: the one that the thread has run into, or NULL. Of a process that a living keeper
 * does not trace only that is restored.
 */
static void restore(struct trap *t, const struct undo_site *site)
{
	static const char path[] = "/proc/self/mem";

	t->memory =
		machine_syscall(ARCH_SYS_OPEN, (uintptr_t)path, O_RDWR_CLOEXEC, 0, 0);
	if (t->memory >= 0) {
		if (t->is_dead)
			restore_all(t);
		else
			restore_site(t, site);
		machine_syscall(ARCH_SYS_CLOSE, (uint64_t)t->memory, 0, 0, 0);
	}
	if (site && site->is_set && byte_at(site->at) == INT3)
		restore_in_place(site);
}

/* The thread has run into the breakpoint. False: the byte is not ours. */
static bool take_back(struct trap *t, const struct undo_site *site)
{
	if (!site->is_set && (!t->is_dead || byte_at(site->at) == INT3))
		return false;
	restore(t, site);
	if (byte_at(site->at) == INT3)
		return false;
	t->context->rip = site->at;
	return true;
}

static bool is_after_int3(uint64_t pc)
{
	return byte_at(pc - 1) == INT3 ||
	       (byte_at(pc - 1) == 3 && byte_at(pc - 2) == INT_PREFIX);
}

static bool is_handled(const struct trap *t)
{
	const uint64_t pc = t->context->rip;

	return is_marked(t) || pc == t->head->leave_trap || find_site(t->head, pc) ||
	       !is_after_int3(pc);
}

static bool is_ours(struct trap *t)
{
	const struct undo_site *site;

	if (t->info->code ==
	    CODE_TRACE) /* of a step of ours, or of the program's own */
		return t->is_dead && !(t->context->eflags & FLAG_TF);
	if (t->info->code != CODE_KERNEL)
		return false;
	site = t->is_dead && is_marked(t) ? NULL
					  : find_site(t->head, t->context->rip - 1);
	if (site && take_back(t, site))
		return true;
	if (!t->is_dead || !is_handled(t))
		return false;
	restore(t, NULL);
	return true;
}

/*
 * The process ends as it would without us: the same signal comes again when the handler
 * returns, where the thread was.
 */
static void die(const struct trap *t)
{
	static const struct trap_action by_default = {.handler = TRAP_DEFAULT};
	const uint64_t mask = UINT64_C(1) << (TRAP - 1), sig_block = 0;

	machine_syscall(ARCH_SYS_RT_SIGPROCMASK, sig_block, (uintptr_t)&mask, 0, 8);
	machine_syscall(ARCH_SYS_RT_SIGACTION, TRAP, (uintptr_t)&by_default, 0, 8);
	machine_syscall(ARCH_SYS_RT_TGSIGQUEUEINFO,
			(uint64_t)machine_syscall(ARCH_SYS_GETPID, 0, 0, 0, 0),
			(uint64_t)machine_syscall(ARCH_SYS_GETTID, 0, 0, 0, 0), TRAP,
			(uintptr_t)t->info);
}

/* The kernel's own traps cannot be ignored. */
static uint64_t pass_on(const struct trap *t)
{
	const struct trap_action *own = &t->head->own;
	const uint64_t sig_block = 0;
	uint64_t mask = own->mask & ~(UINT64_C(1) << (TRAP - 1));

	if (own->handler == TRAP_IGNORE && t->info->code <= 0)
		return 0;
	if (own->handler == TRAP_DEFAULT || own->handler == TRAP_IGNORE) {
		die(t);
		return 0;
	}
	if (mask)
		machine_syscall(ARCH_SYS_RT_SIGPROCMASK, sig_block, (uintptr_t)&mask, 0,
				8);
	return own->handler;
}

uint64_t trap_judge(const struct undo_head *head, const struct trap_info *info,
		    struct trap_context *context)
{
	struct trap t = {.head = head, .info = info, .context = context};

	t.is_dead = atomic_load_explicit(&head->keeper, memory_order_relaxed) &
		    UNDO_KEEPER_DIED;
	return is_ours(&t) ? 0 : pass_on(&t);
}
