/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/os/stop.h"
#include "tracer/keeper/os/ptrace.h"

#include <signal.h>
#include <sys/wait.h>

static enum pt_event event_of(int status)
{
	return (enum pt_event)(status >> 16);
}

static bool is_signal_stop(int status)
{
	return WIFSTOPPED(status) && event_of(status) == PT_EVENT_NONE &&
	       WSTOPSIG(status) != PT_SYSCALL_STOP;
}

bool stop_is_restarted(int64_t result)
{
	return result == STOP_RESTART_SYS || result == STOP_RESTART_NOINTR ||
	       result == STOP_RESTART_NOHAND || result == STOP_RESTART_BLOCK;
}

/* Whether the instruction itself raised sig: the kernel gives it a positive si_code. */
static bool is_fault(int sig, int code)
{
	if (code <= 0)
		return false;
	return sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGFPE;
}

static bool is_stop_signal(int sig)
{
	return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

unsigned stop_needs(const struct stop_facts *s, unsigned have)
{
	unsigned needs = 0;

	if (!WIFSTOPPED(s->status) || s->life != LIFE_KNOWN)
		return 0;
	if (is_signal_stop(s->status)) {
		needs |= STOP_NEEDS_REGS;
		/*
		 * Inside an instruction only our own byte can have trapped. After an
		 * instruction of one byte the program itself can be, and get a
		 * SIGTRAP by kill(2): only there si_code is needed.
		 */
		if ((have & STOP_NEEDS_REGS) && s->where != WHERE_ORIGINAL &&
		    !(s->where == WHERE_TRAPPED && WSTOPSIG(s->status) == SIGTRAP))
			needs |= STOP_NEEDS_CODE;
	} else if (event_of(s->status) == PT_EVENT_STOP) {
		needs |= STOP_NEEDS_REGS;
	} else {
		return 0;
	}
	return needs & ~have;
}

static struct stop_verdict verdict(enum stop_event event, enum stop_resume resume)
{
	return (struct stop_verdict){.event = event, .resume = resume};
}

/* In a stub or in resident code. */
static bool is_inside(enum stop_where where)
{
	return where >= WHERE_STUB_PROLOGUE;
}

bool stop_is_group_stop(int status)
{
	return event_of(status) == PT_EVENT_STOP && is_stop_signal(WSTOPSIG(status));
}

bool stop_tells_of_child(int status)
{
	return event_of(status) == PT_EVENT_FORK ||
	       event_of(status) == PT_EVENT_VFORK || event_of(status) == PT_EVENT_CLONE;
}

bool stop_may_take_slot(int status)
{
	return event_of(status) != PT_EVENT_EXEC && event_of(status) != PT_EVENT_EXIT;
}

static struct stop_verdict classify_event_stop(const struct stop_facts *s)
{
	return stop_is_group_stop(s->status) ? verdict(STOP_GROUP_STOP, RESUME_LISTEN)
					     : verdict(STOP_INTERRUPTED, RESUME_CONT);
}

static struct stop_verdict classify_event(const struct stop_facts *s)
{
	switch (event_of(s->status)) {
	case PT_EVENT_FORK:
	case PT_EVENT_VFORK:
	case PT_EVENT_CLONE:
		return verdict(STOP_CHILD, RESUME_CONT);
	case PT_EVENT_EXEC:
		return verdict(STOP_EXEC, RESUME_NONE);
	case PT_EVENT_STOP:
		return classify_event_stop(s);
	case PT_EVENT_NONE:
	case PT_EVENT_VFORK_DONE:
	case PT_EVENT_EXIT:
	case PT_EVENT_SECCOMP:
		break;
	}
	return verdict(STOP_OTHER, RESUME_CONT);
}

static bool is_hit(const struct stop_facts *s)
{
	if (WSTOPSIG(s->status) != SIGTRAP)
		return false;
	if (s->where == WHERE_AMBIGUOUS)
		return s->code == SI_KERNEL;
	return s->where == WHERE_TRAPPED;
}

static bool is_guarded(const struct stop_facts *s)
{
	int sig = WSTOPSIG(s->status);

	return (s->where == WHERE_GUARD || s->where == WHERE_LIGHT) &&
	       (sig == SIGSEGV || sig == SIGBUS);
}

/*
 * The program has set the trap flag, and steps through its code. In a stub it would step
 * through ours: breakpoints take the place of the jump.
 */
static bool is_program_step(const struct stop_facts *s)
{
	return (s->where == WHERE_STUB_PROLOGUE || s->where == WHERE_STUB_EPILOGUE) &&
	       WSTOPSIG(s->status) == SIGTRAP && s->code == TRAP_TRACE;
}

static struct stop_verdict classify_in_stub(const struct stop_facts *s)
{
	struct stop_verdict v = verdict(STOP_SIGNAL, RESUME_CONT);

	v.signal = WSTOPSIG(s->status);
	v.pc = PC_EXIT_STUB;
	if (is_program_step(s)) {
		v.pc = PC_DEMOTE;
		/* Only the jump was a step: the instruction in its place has not run. */
		if (s->is_stub_begin || s->where == WHERE_STUB_PROLOGUE)
			v.signal = 0;
		return v;
	}
	if (is_fault(v.signal, s->code)) {
		if (is_guarded(s)) {
			v = verdict(STOP_GUARD, RESUME_CONT);
			v.pc = PC_GUARD;
			return v;
		}
		v.event = STOP_FAULT;
		v.pc = PC_DEMOTE;
		/* A fault in our own code is not the program's. */
		if (s->where != WHERE_STUB_EPILOGUE)
			v.signal = 0;
	} else if (s->where == WHERE_EXIT_TRAP && v.signal == SIGTRAP &&
		   s->code == SI_KERNEL) {
		v.event = STOP_EXIT_TRAP;
		v.signal = 0;
	}
	return v;
}

static struct stop_verdict classify_signal(const struct stop_facts *s)
{
	struct stop_verdict v = verdict(STOP_SIGNAL, RESUME_CONT);

	v.signal = WSTOPSIG(s->status);
	if (is_inside(s->where))
		return classify_in_stub(s);
	if (is_hit(s))
		return verdict(STOP_HIT, RESUME_NONE);
	if (s->where == WHERE_SLOT_AFTER) {
		v.pc = PC_NEXT;
	} else if (s->where == WHERE_SLOT_BEFORE) {
		if (is_fault(v.signal, s->code)) {
			v.event = STOP_FAULT;
			v.pc = PC_SITE;
		} else {
			/*
			 * A blocked signal could not end a moved system call, and a
			 * repeated instruction would take one step per repetition:
			 * these go back to the site, which does not fire again.
			 */
			v.pc = s->is_lengthy ? PC_SITE : PC_FINISH_SLOT;
		}
	}
	return v;
}

struct stop_verdict stop_classify(const struct stop_facts *s)
{
	if (!WIFSTOPPED(s->status))
		return verdict(STOP_GONE, RESUME_NONE);
	if (s->life == LIFE_UNKNOWN)
		return verdict(STOP_EARLY, RESUME_NONE);
	if (s->life == LIFE_NEW)
		return verdict(STOP_FIRST, RESUME_NONE);
	if (event_of(s->status) != PT_EVENT_NONE)
		return classify_event(s);
	if (WSTOPSIG(s->status) == PT_SYSCALL_STOP)
		return verdict(STOP_SYSCALL, RESUME_NONE);
	return classify_signal(s);
}

enum stop_pc stop_settle(enum stop_where where, bool is_trap_collected)
{
	switch (where) {
	case WHERE_TRAPPED:
	case WHERE_AMBIGUOUS:
		return is_trap_collected ? PC_SITE : PC_KEEP;
	case WHERE_SLOT_BEFORE:
		return PC_SITE;
	case WHERE_SLOT_AFTER:
		return PC_NEXT;
	case WHERE_STUB_PROLOGUE:
	case WHERE_STUB_EPILOGUE:
	case WHERE_RESIDENT:
	case WHERE_GUARD:
	case WHERE_RESIDENT_LATE:
	case WHERE_LIGHT:
	case WHERE_EXIT_TRAP:
		return PC_EXIT_STUB;
	case WHERE_ORIGINAL:
		break;
	}
	return PC_KEEP;
}
