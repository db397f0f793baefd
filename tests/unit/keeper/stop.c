/* SPDX-License-Identifier: MIT */
/*
 * The table of everything that waitpid can report and what the keeper makes of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/os/stop.h"

#include <signal.h>

#define STOPPED(sig)	  ((sig) << 8 | 0x7f)
#define EVENT(event, sig) ((event) << 16 | STOPPED(sig))

struct wait_case {
	const char *what;
	struct stop_facts in;
	struct stop_verdict out;
};

#define KNOWN(...)                                                                     \
	{                                                                              \
		.life = LIFE_KNOWN, __VA_ARGS__                                        \
	}
#define TAKEN(e, p, r, s)                                                              \
	{                                                                              \
		STOP_##e, PC_##p, RESUME_##r, s                                        \
	}

static const struct wait_case cases[] = {
	{"exit", KNOWN(.status = 3 << 8), TAKEN(GONE, KEEP, NONE, 0)},
	{"killed", KNOWN(.status = SIGKILL), TAKEN(GONE, KEEP, NONE, 0)},
	{"dumped core", KNOWN(.status = SIGSEGV | 0x80), TAKEN(GONE, KEEP, NONE, 0)},
	{"exit of a child before its event",
	 {.life = LIFE_UNKNOWN, .status = 0},
	 TAKEN(GONE, KEEP, NONE, 0)},

	{"child before its event",
	 {.life = LIFE_UNKNOWN, .status = EVENT(PT_EVENT_STOP, SIGTRAP)},
	 TAKEN(EARLY, KEEP, NONE, 0)},
	{"announced child",
	 {.life = LIFE_NEW, .status = EVENT(PT_EVENT_STOP, SIGTRAP)},
	 TAKEN(FIRST, KEEP, NONE, 0)},
	{"announced child, born into a group stop",
	 {.life = LIFE_NEW, .status = EVENT(PT_EVENT_STOP, SIGSTOP)},
	 TAKEN(FIRST, KEEP, NONE, 0)},

	{"clone", KNOWN(.status = EVENT(PT_EVENT_CLONE, SIGTRAP)),
	 TAKEN(CHILD, KEEP, CONT, 0)},
	{"fork", KNOWN(.status = EVENT(PT_EVENT_FORK, SIGTRAP)),
	 TAKEN(CHILD, KEEP, CONT, 0)},
	{"vfork", KNOWN(.status = EVENT(PT_EVENT_VFORK, SIGTRAP)),
	 TAKEN(CHILD, KEEP, CONT, 0)},
	{"vfork done", KNOWN(.status = EVENT(PT_EVENT_VFORK_DONE, SIGTRAP)),
	 TAKEN(OTHER, KEEP, CONT, 0)},
	{"exec", KNOWN(.status = EVENT(PT_EVENT_EXEC, SIGTRAP)),
	 TAKEN(EXEC, KEEP, NONE, 0)},
	{"about to exit", KNOWN(.status = EVENT(PT_EVENT_EXIT, SIGTRAP)),
	 TAKEN(OTHER, KEEP, CONT, 0)},
	{"seccomp", KNOWN(.status = EVENT(PT_EVENT_SECCOMP, SIGTRAP)),
	 TAKEN(OTHER, KEEP, CONT, 0)},
	{"system call stop", KNOWN(.status = STOPPED(PT_SYSCALL_STOP)),
	 TAKEN(SYSCALL, KEEP, NONE, 0)},

	{"interrupted", KNOWN(.status = EVENT(PT_EVENT_STOP, SIGTRAP)),
	 TAKEN(INTERRUPTED, KEEP, CONT, 0)},
	{"interrupted with our trap queued",
	 KNOWN(.status = EVENT(PT_EVENT_STOP, SIGTRAP), .where = WHERE_TRAPPED),
	 TAKEN(INTERRUPTED, KEEP, CONT, 0)},
	{"interrupted in a copy",
	 KNOWN(.status = EVENT(PT_EVENT_STOP, SIGTRAP), .where = WHERE_SLOT_BEFORE),
	 TAKEN(INTERRUPTED, KEEP, CONT, 0)},

	{"group stop", KNOWN(.status = EVENT(PT_EVENT_STOP, SIGSTOP)),
	 TAKEN(GROUP_STOP, KEEP, LISTEN, 0)},
	{"terminal stop", KNOWN(.status = EVENT(PT_EVENT_STOP, SIGTSTP)),
	 TAKEN(GROUP_STOP, KEEP, LISTEN, 0)},
	{"terminal input", KNOWN(.status = EVENT(PT_EVENT_STOP, SIGTTIN)),
	 TAKEN(GROUP_STOP, KEEP, LISTEN, 0)},
	{"terminal output", KNOWN(.status = EVENT(PT_EVENT_STOP, SIGTTOU)),
	 TAKEN(GROUP_STOP, KEEP, LISTEN, 0)},

	{"signal in a stub, on the way to firing",
	 KNOWN(.status = STOPPED(SIGALRM), .where = WHERE_STUB_PROLOGUE),
	 TAKEN(SIGNAL, EXIT_STUB, CONT, SIGALRM)},
	{"signal in a stub, on the way back",
	 KNOWN(.status = STOPPED(SIGALRM), .where = WHERE_STUB_EPILOGUE),
	 TAKEN(SIGNAL, EXIT_STUB, CONT, SIGALRM)},
	{"SIGTRAP by kill in a stub",
	 KNOWN(.status = STOPPED(SIGTRAP), .where = WHERE_STUB_EPILOGUE,
	       .code = SI_USER),
	 TAKEN(SIGNAL, EXIT_STUB, CONT, SIGTRAP)},
	{"the program's own single step, onto a jump",
	 KNOWN(.status = STOPPED(SIGTRAP), .where = WHERE_STUB_PROLOGUE,
	       .code = TRAP_TRACE),
	 TAKEN(SIGNAL, DEMOTE, CONT, 0)},
	{"SIGTRAP by kill in a stub, on the way to firing",
	 KNOWN(.status = STOPPED(SIGTRAP), .where = WHERE_STUB_PROLOGUE,
	       .code = SI_USER),
	 TAKEN(SIGNAL, EXIT_STUB, CONT, SIGTRAP)},
	{"the same, where an instruction comes first in the stub",
	 KNOWN(.status = STOPPED(SIGTRAP), .where = WHERE_STUB_EPILOGUE,
	       .is_stub_begin = true, .code = TRAP_TRACE),
	 TAKEN(SIGNAL, DEMOTE, CONT, 0)},
	{"the program's own single step of an instruction in a stub",
	 KNOWN(.status = STOPPED(SIGTRAP), .where = WHERE_STUB_EPILOGUE,
	       .code = TRAP_TRACE),
	 TAKEN(SIGNAL, DEMOTE, CONT, SIGTRAP)},
	{"fault of a moved instruction in a stub",
	 KNOWN(.status = STOPPED(SIGSEGV), .where = WHERE_STUB_EPILOGUE, .code = 1),
	 TAKEN(FAULT, DEMOTE, CONT, SIGSEGV)},
	{"trap of a moved division in a stub",
	 KNOWN(.status = STOPPED(SIGFPE), .where = WHERE_STUB_EPILOGUE, .code = 1),
	 TAKEN(FAULT, DEMOTE, CONT, SIGFPE)},
	{"SIGSEGV by kill in a stub",
	 KNOWN(.status = STOPPED(SIGSEGV), .where = WHERE_STUB_EPILOGUE,
	       .code = SI_USER),
	 TAKEN(SIGNAL, EXIT_STUB, CONT, SIGSEGV)},
	{"fault on the way to firing: the GS base is not ours any more",
	 KNOWN(.status = STOPPED(SIGSEGV), .where = WHERE_STUB_PROLOGUE, .code = 1),
	 TAKEN(FAULT, DEMOTE, CONT, 0)},
	{"signal in resident code",
	 KNOWN(.status = STOPPED(SIGALRM), .where = WHERE_RESIDENT),
	 TAKEN(SIGNAL, EXIT_STUB, CONT, SIGALRM)},
	{"signal in resident code, too late for the mark",
	 KNOWN(.status = STOPPED(SIGALRM), .where = WHERE_RESIDENT_LATE),
	 TAKEN(SIGNAL, EXIT_STUB, CONT, SIGALRM)},
	{"signal in a light routine",
	 KNOWN(.status = STOPPED(SIGALRM), .where = WHERE_LIGHT),
	 TAKEN(SIGNAL, EXIT_STUB, CONT, SIGALRM)},
	{"fault in a light routine, which leaves unfinished",
	 KNOWN(.status = STOPPED(SIGSEGV), .where = WHERE_LIGHT, .code = 1),
	 TAKEN(GUARD, GUARD, CONT, 0)},
	{"SIGSEGV by kill in a light routine",
	 KNOWN(.status = STOPPED(SIGSEGV), .where = WHERE_LIGHT, .code = SI_USER),
	 TAKEN(SIGNAL, EXIT_STUB, CONT, SIGSEGV)},
	{"SIGTRAP of single steps in a light routine",
	 KNOWN(.status = STOPPED(SIGTRAP), .where = WHERE_LIGHT, .code = 2),
	 TAKEN(SIGNAL, EXIT_STUB, CONT, SIGTRAP)},
	{"signal at a guarded load",
	 KNOWN(.status = STOPPED(SIGALRM), .where = WHERE_GUARD),
	 TAKEN(SIGNAL, EXIT_STUB, CONT, SIGALRM)},
	{"guarded load of an unmapped page",
	 KNOWN(.status = STOPPED(SIGSEGV), .where = WHERE_GUARD, .code = 1),
	 TAKEN(GUARD, GUARD, CONT, 0)},
	{"guarded load behind a file's end",
	 KNOWN(.status = STOPPED(SIGBUS), .where = WHERE_GUARD, .code = 2),
	 TAKEN(GUARD, GUARD, CONT, 0)},
	{"guarded load of a bad address: no code says where",
	 KNOWN(.status = STOPPED(SIGSEGV), .where = WHERE_GUARD, .code = SI_KERNEL),
	 TAKEN(GUARD, GUARD, CONT, 0)},
	{"SIGSEGV by kill at a guarded load",
	 KNOWN(.status = STOPPED(SIGSEGV), .where = WHERE_GUARD, .code = SI_USER),
	 TAKEN(SIGNAL, EXIT_STUB, CONT, SIGSEGV)},
	{"fault of resident code itself",
	 KNOWN(.status = STOPPED(SIGSEGV), .where = WHERE_RESIDENT, .code = 1),
	 TAKEN(FAULT, DEMOTE, CONT, 0)},
	{"trap of a marked firing that nobody waits for",
	 KNOWN(.status = STOPPED(SIGTRAP), .where = WHERE_EXIT_TRAP, .code = SI_KERNEL),
	 TAKEN(EXIT_TRAP, EXIT_STUB, CONT, 0)},
	{"signal at the trap of a marked firing",
	 KNOWN(.status = STOPPED(SIGALRM), .where = WHERE_EXIT_TRAP),
	 TAKEN(SIGNAL, EXIT_STUB, CONT, SIGALRM)},
	{"interrupted in resident code",
	 KNOWN(.status = EVENT(PT_EVENT_STOP, SIGTRAP), .where = WHERE_RESIDENT),
	 TAKEN(INTERRUPTED, KEEP, CONT, 0)},
	{"group stop in resident code",
	 KNOWN(.status = EVENT(PT_EVENT_STOP, SIGSTOP), .where = WHERE_RESIDENT),
	 TAKEN(GROUP_STOP, KEEP, LISTEN, 0)},

	{"hit", KNOWN(.status = STOPPED(SIGTRAP), .where = WHERE_TRAPPED),
	 TAKEN(HIT, KEEP, NONE, 0)},
	{"hit of a one-byte instruction",
	 KNOWN(.status = STOPPED(SIGTRAP), .where = WHERE_AMBIGUOUS, .code = SI_KERNEL),
	 TAKEN(HIT, KEEP, NONE, 0)},
	{"SIGTRAP by kill just behind a one-byte instruction",
	 KNOWN(.status = STOPPED(SIGTRAP), .where = WHERE_AMBIGUOUS, .code = SI_USER),
	 TAKEN(SIGNAL, KEEP, CONT, SIGTRAP)},
	{"SIGTRAP by tgkill just behind a one-byte instruction",
	 KNOWN(.status = STOPPED(SIGTRAP), .where = WHERE_AMBIGUOUS, .code = SI_TKILL),
	 TAKEN(SIGNAL, KEEP, CONT, SIGTRAP)},
	{"the target's own int3 or SIGTRAP", KNOWN(.status = STOPPED(SIGTRAP)),
	 TAKEN(SIGNAL, KEEP, CONT, SIGTRAP)},
	{"SIGTRAP by kill in a copy",
	 KNOWN(.status = STOPPED(SIGTRAP), .where = WHERE_SLOT_BEFORE, .code = SI_USER),
	 TAKEN(SIGNAL, FINISH_SLOT, CONT, SIGTRAP)},

	{"signal", KNOWN(.status = STOPPED(SIGALRM)),
	 TAKEN(SIGNAL, KEEP, CONT, SIGALRM)},
	{"signal behind a one-byte site",
	 KNOWN(.status = STOPPED(SIGALRM), .where = WHERE_AMBIGUOUS, .code = SI_KERNEL),
	 TAKEN(SIGNAL, KEEP, CONT, SIGALRM)},
	{"stop signal", KNOWN(.status = STOPPED(SIGSTOP)),
	 TAKEN(SIGNAL, KEEP, CONT, SIGSTOP)},
	{"signal before a copy has run",
	 KNOWN(.status = STOPPED(SIGALRM), .where = WHERE_SLOT_BEFORE,
	       .code = SI_KERNEL),
	 TAKEN(SIGNAL, FINISH_SLOT, CONT, SIGALRM)},
	{"signal before a moved system call or repeated instruction",
	 KNOWN(.status = STOPPED(SIGALRM), .where = WHERE_SLOT_BEFORE,
	       .is_lengthy = true),
	 TAKEN(SIGNAL, SITE, CONT, SIGALRM)},
	{"signal after a copy has run",
	 KNOWN(.status = STOPPED(SIGALRM), .where = WHERE_SLOT_AFTER),
	 TAKEN(SIGNAL, NEXT, CONT, SIGALRM)},

	{"segmentation fault of a copy",
	 KNOWN(.status = STOPPED(SIGSEGV), .where = WHERE_SLOT_BEFORE,
	       .code = SEGV_MAPERR),
	 TAKEN(FAULT, SITE, CONT, SIGSEGV)},
	{"bus error of a copy",
	 KNOWN(.status = STOPPED(SIGBUS), .where = WHERE_SLOT_BEFORE,
	       .code = BUS_ADRERR),
	 TAKEN(FAULT, SITE, CONT, SIGBUS)},
	{"division error of a copy",
	 KNOWN(.status = STOPPED(SIGFPE), .where = WHERE_SLOT_BEFORE,
	       .code = FPE_INTDIV),
	 TAKEN(FAULT, SITE, CONT, SIGFPE)},
	{"illegal instruction in a copy",
	 KNOWN(.status = STOPPED(SIGILL), .where = WHERE_SLOT_BEFORE,
	       .code = ILL_ILLOPN),
	 TAKEN(FAULT, SITE, CONT, SIGILL)},
	{"SIGSEGV by kill in a copy",
	 KNOWN(.status = STOPPED(SIGSEGV), .where = WHERE_SLOT_BEFORE, .code = SI_USER),
	 TAKEN(SIGNAL, FINISH_SLOT, CONT, SIGSEGV)},
	{"segmentation fault of the program's own",
	 KNOWN(.status = STOPPED(SIGSEGV), .code = SEGV_MAPERR),
	 TAKEN(SIGNAL, KEEP, CONT, SIGSEGV)},
};

static void test_classify(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct wait_case *c = &cases[i];
		struct stop_verdict v = stop_classify(&c->in);

		if (v.event != c->out.event || v.pc != c->out.pc ||
		    v.resume != c->out.resume || v.signal != c->out.signal)
			fail_msg("%s: event %d pc %d resume %d signal %d", c->what,
				 v.event, v.pc, v.resume, v.signal);
	}
}

/* What is fetched for a stop, until nothing more is wanted. */
static void test_needs(void **state)
{
	const struct {
		struct stop_facts in;
		unsigned have, needs;
	} table[] = {
		{KNOWN(.status = 0), 0, 0},
		{{.life = LIFE_NEW, .status = EVENT(PT_EVENT_STOP, SIGTRAP)}, 0, 0},
		{{.life = LIFE_UNKNOWN, .status = STOPPED(SIGTRAP)}, 0, 0},
		{KNOWN(.status = EVENT(PT_EVENT_CLONE, SIGTRAP)), 0, 0},
		{KNOWN(.status = EVENT(PT_EVENT_STOP, SIGTRAP)), 0, STOP_NEEDS_REGS},
		{KNOWN(.status = STOPPED(SIGTRAP)), 0, STOP_NEEDS_REGS},
		/* the hot path: registers, and nothing else */
		{KNOWN(.status = STOPPED(SIGTRAP), .where = WHERE_TRAPPED),
		 STOP_NEEDS_REGS, 0},
		{KNOWN(.status = STOPPED(SIGTRAP), .where = WHERE_AMBIGUOUS),
		 STOP_NEEDS_REGS, STOP_NEEDS_CODE},
		{KNOWN(.status = STOPPED(SIGSEGV), .where = WHERE_SLOT_BEFORE),
		 STOP_NEEDS_REGS, STOP_NEEDS_CODE},
		{KNOWN(.status = STOPPED(SIGALRM)), STOP_NEEDS_REGS, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (stop_needs(&table[i].in, table[i].have) != table[i].needs)
			fail_msg("case %zu: %u", i,
				 stop_needs(&table[i].in, table[i].have));
}

static void test_settle(void **state)
{
	const struct {
		enum stop_where where;
		bool is_trap_collected;
		enum stop_pc pc;
	} table[] = {
		{WHERE_ORIGINAL, false, PC_KEEP},
		{WHERE_TRAPPED, true, PC_SITE},
		{WHERE_AMBIGUOUS, true, PC_SITE},
		{WHERE_AMBIGUOUS, false, PC_KEEP},
		{WHERE_SLOT_BEFORE, false, PC_SITE},
		{WHERE_SLOT_AFTER, false, PC_NEXT},
		{WHERE_STUB_PROLOGUE, false, PC_EXIT_STUB},
		{WHERE_STUB_EPILOGUE, false, PC_EXIT_STUB},
		{WHERE_RESIDENT, false, PC_EXIT_STUB},
		{WHERE_GUARD, false, PC_EXIT_STUB},
		{WHERE_RESIDENT_LATE, false, PC_EXIT_STUB},
		{WHERE_LIGHT, false, PC_EXIT_STUB},
		{WHERE_EXIT_TRAP, false, PC_EXIT_STUB},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		assert_int_equal(
			stop_settle(table[i].where, table[i].is_trap_collected),
			table[i].pc);
}

/* Which calls are made again after a stop that the program must not see. */

static void test_restarted(void **state)
{
	(void)state;
	assert_false(stop_is_restarted(0) || stop_is_restarted(-4) ||
		     stop_is_restarted(-515) || stop_is_restarted(-511));
	assert_true(stop_is_restarted(-512) && stop_is_restarted(-513) &&
		    stop_is_restarted(-514) && stop_is_restarted(-516));
}

static void test_slots(void **state)
{
	static const struct {
		int status;
		bool may_take;
	} first[] = {
		{EVENT(PT_EVENT_STOP, SIGTRAP), true},
		{EVENT(PT_EVENT_STOP, SIGSTOP), true},
		{STOPPED(SIGUSR1), true},
		{EVENT(PT_EVENT_EXEC, SIGTRAP), false},
		/* killed before it ran */
		{EVENT(PT_EVENT_EXIT, SIGTRAP), false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(first); i++)
		assert_int_equal(stop_may_take_slot(first[i].status),
				 first[i].may_take);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classify), cmocka_unit_test(test_needs),
		cmocka_unit_test(test_settle),	 cmocka_unit_test(test_restarted),
		cmocka_unit_test(test_slots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
