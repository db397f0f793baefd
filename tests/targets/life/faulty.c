/* SPDX-License-Identifier: MIT */
/*
 * Faults of every kind that a handler mends: it notes where the program was, and what the
 * kernel says of the address, and goes on after the instruction.
 */
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "../truth.h"

#define TURNS 50

extern const char divide_at[], divide_end[], load_at[], load_end[], store_at[],
	store_end[], undefined[], undefined_end[], halted[], halted_end[];
long undefined_call(long) __asm__("undefined"), halted_call(long) __asm__("halted");

static unsigned long n_divide, n_load, n_store, n_made, wrong;
static char *const nowhere = (char *)0x1230;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	greg_t *pc = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	const char *at = (const char *)*pc, *said = info->si_addr;

	if (sig == SIGFPE && at == divide_at && said == at)
		*pc = (greg_t)divide_end;
	else if (sig == SIGSEGV && at == load_at && said == nowhere)
		*pc = (greg_t)load_end;
	else if (sig == SIGSEGV && at == store_at && said == nowhere)
		*pc = (greg_t)store_end;
	else if (sig == SIGILL && at == undefined && said == at)
		*pc = (greg_t)undefined_end;
	else if (sig == SIGSEGV && at == halted && !said)
		*pc = (greg_t)halted_end;
	else
		_exit(99);
}

KEEP long divide(long v, long by)
{
	long rest;

	hit(&n_divide);
	__asm__ volatile("cqto\n\t"
			 ".globl divide_at, divide_end\n"
			 "divide_at: idivq %[by]\n"
			 "divide_end:"
			 : "+a"(v), "=&d"(rest)
			 : [by] "r"(by)
			 : "cc");
	return v;
}

KEEP long load(const char *from)
{
	long v = 11;

	hit(&n_load);
	__asm__ volatile(".globl load_at, load_end\n"
			 "load_at: movq (%1), %0\n"
			 "load_end:"
			 : "+r"(v)
			 : "r"(from)
			 : "memory");
	return v;
}

KEEP void store(char *to)
{
	hit(&n_store);
	__asm__ volatile(".globl store_at, store_end\n"
			 "store_at: movb $7, (%0)\n"
			 "store_end:"
			 :
			 : "r"(to)
			 : "memory");
}

/* Functions whose first instruction is made to fault. */
__asm__(".text\n.globl undefined, undefined_end, halted, halted_end\n"
	".type undefined, @function\n.type halted, @function\n"
	"undefined:\n\t.cfi_startproc\n\tud2\n"
	"undefined_end:\n\tlea 1(%rdi), %rax\n\tret\n\t.cfi_endproc\n"
	".size undefined, . - undefined\n"
	"halted:\n\t.cfi_startproc\n\thlt\n"
	"halted_end:\n\tlea 2(%rdi), %rax\n\tret\n\t.cfi_endproc\n"
	".size halted, . - halted\n");

int main(void)
{
	struct sigaction sa;
	char room[8] = "1234567";

	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = on_fault;
	sa.sa_flags = SA_SIGINFO;
	sigaction(SIGFPE, &sa, NULL);
	sigaction(SIGILL, &sa, NULL);
	sigaction(SIGSEGV, &sa, NULL);
	for (int i = 0; i < TURNS; i++) {
		wrong += divide(100, 0) != 100;
		wrong += divide(100, 7) != 14;
		wrong += load(nowhere) != 11;
		wrong += load(room) == 11;
		store(nowhere);
		store(room);
		n_made++;
		wrong += undefined_call(i) != i + 1 || halted_call(i) != i + 2;
	}
	printf("wrong=%lu %d\n", wrong, room[0]);
	truth("divide", &n_divide);
	truth("load", &n_load);
	truth("store", &n_store);
	truth("undefined", &n_made);
	truth("halted", &n_made);
	return wrong ? 1 : 2;
}
