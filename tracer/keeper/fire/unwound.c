/* SPDX-License-Identifier: MIT */
/*
 * An exception that passes the frames of f and g, where g has a destructor to run:
 *
 *	_Unwind_RaiseException	RAISE	the registers of its caller are noted
 *				CAUGHT	f and all frames up to g are left; g cleans up
 *	_Unwind_Resume		RESUME	g has called it
 *				CAUGHT	g and all frames up to the handler are left
 *
 * At CAUGHT the registers are already those of the frame that goes on, so the walk begins
 * with those noted. The functions of libgcc return to it by their last jump.
 *
 * LLVM's libunwind calls a function that takes all registers, at REGISTERS.
 *
 * __builtin_longjmp() is a few loads and a jump in the function that jumps, at LOADS.
 *
 * The destination is the frame whose part of the stack, from its stack pointer up to that
 * of its caller, holds the new stack pointer. If no frame does, the program has changed
 * to another stack (coroutines), and none is left.
 */
#include "tracer/keeper/fire/unwound.h"
#include "tracer/keeper/fire/fire.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/frames/frames.h"
#include "tracer/keeper/space/stacks.h"
#include "tracer/keeper/space/step.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>

#define WORD	   sizeof(uint64_t)
#define CALLS_MAX  8
#define JUMPS_MAX  4
#define FRAMES_MAX 65536u /* of one walk */
/* A function of libgcc has no larger frame; a longjmp() has no more code. */
#define FRAME_MAX  (64u << 10)
#define JUMP_BYTES 128
enum { REG_SP = 4, REG_BP = 5 }; /* in instructions */
/* Beyond the outermost frame nothing is known. */
#define OUTERMOST_MAX (64u << 10)

/* glibc and musl agree on these; bits/setjmp.h, sysdeps/x86_64/jmpbuf-offsets.h. */
enum { JMP_BASE = 0, JMP_FP = 1, JMP_SP = 6, JMP_PC = 7, JMP_WORDS = 8 };
#define GUARD_AT   0x30 /* tcbhead_t.pointer_guard */
#define GUARD_TURN 17

struct task_unwinding {
	/* Calls of RAISE, RESUME and FORCED, the newest at next - 1. */
	struct unwinding_call {
		uint64_t sp; /* at its first instruction; 0: it has ended */
		struct stacks_frame caller;
		bool is_forced;
	} calls[CALLS_MAX];
	uint32_t next;
	/* Jumps; a signal may interrupt one, and its handler jump as well. */
	struct unwinding_jump {
		uint64_t at, sp;	/* its first instruction, and sp there */
		struct stacks_frame to; /* the frame that goes on */
	} jumps[JUMPS_MAX];
	uint32_t next_jump;
	uint64_t forced_at; /* sp of the frame that cleans up for the end of a thread */
};

/* One event. */
struct leaving {
	struct keeper_program *program;
	struct task *task;
	const struct regs *regs;
	enum keeper_unwound reason;
	uint64_t sp, pc;  /* where the thread goes on */
	uint64_t returns; /* sp of a frame that returns by the jump; 0: none does */
	uint32_t nframes;
	bool is_found;			   /* the frame to which sp belongs */
	const struct stacks_frame *resume; /* the walk goes on there */
	struct {
		struct left {
			struct stacks_frame frame;
			size_t function; /* in frames->data */
		} * data;
		size_t len, cap;
	} left;
};

static bool read_words(const struct task *task, uint64_t at, uint64_t *to, size_t n)
{
	return mem_peek(task->process->space->mem, taddr_of(at), to, n * WORD) ==
	       n * WORD;
}

/* Its caller, of a thread at the first instruction of a function. */
static bool find_caller(const struct task *task, const struct regs *regs,
			struct stacks_frame *out)
{
	*out = (struct stacks_frame){
		.sp = regs_sp(regs) + WORD, .fp = regs->rbp, .base = regs->rbx};
	return read_words(task, regs_sp(regs), &out->pc, 1);
}

/* ---- frames ---- */

/* A signal interrupted a jump that has been seen: the frames below its end are left. */
static const struct stacks_frame *find_jump(const struct task_unwinding *u,
					    const struct stacks_frame *frame)
{
	for (uint32_t i = 0; i < JUMPS_MAX && frame->is_exact; i++) {
		const struct unwinding_jump *j = &u->jumps[i];

		if (j->at && frame->pc > j->at && frame->pc - j->at < JUMP_BYTES &&
		    frame->sp <= j->sp && j->sp - frame->sp < FRAME_MAX)
			return &j->to;
	}
	return NULL;
}

static bool is_destination(const struct stacks_frame *frame, uint64_t sp)
{
	if (frame->end == UINT64_MAX)
		return sp - frame->sp < OUTERMOST_MAX;
	return frame->end > frame->sp && sp - frame->sp < frame->end - frame->sp;
}

static uint64_t pc_inside(const struct stacks_frame *frame)
{
	return frame->pc - !frame->is_exact;
}

/*
 * A signal came before the function's first instruction: its entry has fired only if that
 * instruction has faulted since.
 */
static bool has_begun(const struct task *task, const struct stacks_frame *frame,
		      taddr function)
{
	return !frame->is_exact || frame->pc != function.v ||
	       (task->fired.at.v == frame->pc && task->fired.sp.v == frame->sp);
}

static void note_left(struct leaving *l, const struct stacks_frame *frame)
{
	const struct frames *f = l->task->process->space->frames;
	taddr pc = taddr_of(pc_inside(frame));
	size_t first = l->left.len, n;

	for (size_t i = frames_find(f, pc, f->len); i; i = frames_find(f, pc, i - 1))
		if (has_begun(l->task, frame, f->data[i - 1].function))
			*vec_push(&l->left) = (struct left){*frame, i - 1};
	/* they were found from the last on */
	n = l->left.len - first;
	for (size_t i = 0; i < n / 2; i++) {
		struct left swapped = l->left.data[first + i];

		l->left.data[first + i] = l->left.data[first + n - 1 - i];
		l->left.data[first + n - 1 - i] = swapped;
	}
}

static bool visit(void *ctx, const struct stacks_frame *frame)
{
	struct leaving *l = ctx;

	l->resume = NULL;
	if (++l->nframes > FRAMES_MAX)
		return false;
	l->resume = find_jump(l->task->unwinding, frame);
	if (l->resume)
		return false;
	l->is_found = is_destination(frame, l->sp);
	if (l->is_found)
		return false;
	if (!frame->is_handled && frame->sp != l->returns)
		note_left(l, frame);
	return true;
}

static enum stacks_end walk(struct leaving *l, const struct stacks_frame *first)
{
	struct space *s = l->task->process->space;
	struct stacks_visit v = {.mem = s->mem, .visit = visit, .ctx = l};
	enum stacks_end end = STACKS_ENOUGH;

	for (l->resume = first; l->resume && end == STACKS_ENOUGH;) {
		v.first = l->resume;
		end = stacks_each(s->stacks, &v);
	}
	return end;
}

/* Clauses see the registers that are known of the frame; the others are the thread's. */
static void fire_left(const struct leaving *l, const struct left *left)
{
	const struct keeper_frame *function =
		&l->task->process->space->frames->data[left->function];
	const uint64_t pc = pc_inside(&left->frame);
	const uint64_t args[] = {(uint32_t)(pc - function->function.v), l->reason,
				 l->pc};
	struct regs regs = *l->regs;
	struct fire f = {.program = l->program,
			 .task = l->task,
			 .regs = &regs,
			 .args = args,
			 .nargs = ARRAY_LEN(args)};

	regs_set_pc(&regs, pc);
	regs_set_sp(&regs, left->frame.sp);
	regs.rbp = left->frame.fp;
	regs.rbx = left->frame.base;
	fire_probe(&f, function->probe);
}

static void count_lost(const struct leaving *l)
{
	const struct vm *vm = &l->program->vm;

	if (vm->state)
		state_drops(vm->state, vm->slot)->stacks++;
}

/* Fires for each frame from the first on that the thread leaves. */
static void leave(struct leaving *l, const struct stacks_frame *first)
{
	enum stacks_end end = walk(l, first);

	for (size_t i = 0; i < l->left.len && l->is_found; i++)
		fire_left(l, &l->left.data[i]);
	if (!l->is_found && end != STACKS_OUTERMOST)
		count_lost(l);
	vec_release(&l->left);
}

/* ---- exceptions ---- */

static void note_call(struct task *task, const struct regs *regs, enum keeper_leave how)
{
	struct task_unwinding *u = task->unwinding;
	struct unwinding_call call = {.sp = regs_sp(regs)};

	if (!find_caller(task, regs, &call.caller))
		return;
	call.is_forced = how == KEEPER_LEAVE_FORCED ||
			 (how == KEEPER_LEAVE_RESUME && u->forced_at == call.caller.sp);
	u->calls[u->next++ % CALLS_MAX] = call;
}

/* The newest call whose frame the stack pointer is in; NULL: none was seen. */
static struct unwinding_call *find_call(struct task_unwinding *u, uint64_t sp)
{
	for (uint32_t i = 1; i <= CALLS_MAX; i++) {
		struct unwinding_call *c = &u->calls[(u->next - i) % CALLS_MAX];

		if (c->sp && c->sp >= sp && c->sp - sp < FRAME_MAX)
			return c;
	}
	return NULL;
}

static void on_caught(struct leaving *l)
{
	struct task_unwinding *u = l->task->unwinding;
	struct unwinding_call *c = find_call(u, regs_sp(l->regs));

	if (!c)
		return;
	c->sp = 0;
	l->sp = l->regs->rcx + WORD;
	if (!read_words(l->task, l->regs->rcx, &l->pc, 1))
		return;
	l->reason = c->is_forced ? KEEPER_BY_END : KEEPER_BY_EXCEPTION;
	if (c->is_forced)
		u->forced_at = l->sp;
	leave(l, &c->caller);
}

/* Of LLVM's libunwind: rax to rdx, rdi, rsi, rbp, rsp, r8 to r15, rip. */
enum { LLVM_SP = 7, LLVM_PC = 16, LLVM_WORDS = 17 };

/* Its own frames are still there. */
static void on_registers(struct leaving *l)
{
	uint64_t word[LLVM_WORDS];
	struct stacks_frame first;

	if (!find_caller(l->task, l->regs, &first) ||
	    !read_words(l->task, regs_arg(l->regs, 0), word, LLVM_WORDS))
		return;
	l->sp = word[LLVM_SP];
	l->pc = word[LLVM_PC];
	l->reason = KEEPER_BY_EXCEPTION;
	leave(l, &first);
}

/* ---- longjmp ---- */

static uint64_t unmangle(uint64_t v, uint64_t guard)
{
	return (v >> GUARD_TURN | v << (64 - GUARD_TURN)) ^ guard;
}

/* The frame that the jmp_buf is of. */
static bool read_buffer(const struct task *task, const struct regs *regs,
			bool is_mangled, struct stacks_frame *out)
{
	uint64_t word[JMP_WORDS], guard;

	if (!read_words(task, regs_arg(regs, 0), word, JMP_WORDS))
		return false;
	if (is_mangled) {
		if (!read_words(task, regs->fs_base + GUARD_AT, &guard, 1))
			return false;
		word[JMP_FP] = unmangle(word[JMP_FP], guard);
		word[JMP_SP] = unmangle(word[JMP_SP], guard);
		word[JMP_PC] = unmangle(word[JMP_PC], guard);
	}
	*out = (struct stacks_frame){.pc = word[JMP_PC],
				     .sp = word[JMP_SP],
				     .fp = word[JMP_FP],
				     .base = word[JMP_BASE]};
	return true;
}

/* The calls that the jump leaves end. True: the end of the thread was one. */
static bool end_calls(struct task_unwinding *u, uint64_t from, uint64_t to)
{
	bool is_forced = false;

	for (uint32_t i = 0; i < CALLS_MAX; i++) {
		struct unwinding_call *c = &u->calls[i];

		if (!c->sp || c->sp < from || c->sp >= to)
			continue;
		is_forced |= c->is_forced;
		c->sp = 0;
	}
	return is_forced;
}

static void on_jump(struct leaving *l, bool is_mangled)
{
	struct task_unwinding *u = l->task->unwinding;
	struct unwinding_jump j = {.at = regs_pc(l->regs), .sp = regs_sp(l->regs)};
	struct stacks_frame first;

	if (!find_caller(l->task, l->regs, &first) ||
	    !read_buffer(l->task, l->regs, is_mangled, &j.to))
		return;
	l->sp = j.to.sp;
	l->pc = j.to.pc;
	l->reason = end_calls(u, j.sp, l->sp) ? KEEPER_BY_END : KEEPER_BY_LONGJMP;
	leave(l, &first);
	u->jumps[u->next_jump++ % JUMPS_MAX] = j;
}

/* ---- __builtin_longjmp() ---- */

#define LOADS_MAX   4 /* instructions up to the jump */
#define LOADS_BYTES (LOADS_MAX * INSN_MAX)

struct loads {
	const struct regs *regs; /* at the first */
	struct step_memory mem;
	uint64_t sp, pc;
	uint8_t reg; /* that was loaded, INSN_NO_REG: none */
	uint64_t loaded;
};

/* What a jump by the same operand would lead to: that is what the load reads. */
static bool read_operand(const struct loads *s, const struct insn *in, uint64_t *value)
{
	struct insn jump = *in;
	taddr target;

	jump.kind = INSN_JMP_INDIRECT;
	if (step_target(&jump, s->regs, &s->mem, &target))
		return false;
	*value = target.v;
	return true;
}

/* False: it is none of those that the front looks for. *is_done: it is the jump. */
static bool pass(struct loads *s, const struct insn *in, bool *is_done)
{
	const uint8_t *b = in->bytes;
	const unsigned reg = (b[0] & 4u) << 1 | (b[2] >> 3 & 7);

	*is_done = in->kind == INSN_JMP_INDIRECT && !in->has_mem;
	if (*is_done && in->reg == s->reg)
		s->pc = s->loaded;
	else if (*is_done)
		return read_operand(s, in, &s->pc);
	if (*is_done || (in->len == 3 && b[1] == 0x89)) /* to rbp */
		return true;
	if (b[1] != 0x8b || !in->has_mem)
		return false;
	if (reg == REG_BP)
		return true;
	if (reg == REG_SP)
		return read_operand(s, in, &s->sp);
	s->reg = (uint8_t)reg;
	return read_operand(s, in, &s->loaded);
}

static bool read_loads(const struct task *task, struct loads *s)
{
	const taddr first = taddr_of(regs_pc(s->regs));
	uint8_t code[LOADS_BYTES];
	bool is_done = false;
	struct insn in;
	size_t n, at = 0;

	n = mem_peek(task->process->space->mem, first, code, sizeof(code));
	space_hide(task->process->space, first, code, n);
	for (int i = 0; i < LOADS_MAX && !is_done; i++) {
		if (decode(code + at, n - at, taddr_add(first, (int64_t)at), &in) ||
		    !pass(s, &in, &is_done))
			return false;
		at += in.len;
	}
	return is_done && s->sp;
}

/* The function that jumps returns by the jump. */
static void on_loads(struct leaving *l)
{
	const struct regs *r = l->regs;
	struct stacks_frame first = {.pc = regs_pc(r),
				     .sp = regs_sp(r),
				     .fp = r->rbp,
				     .base = r->rbx,
				     .is_exact = true};
	struct loads s = {.regs = r, .mem = fire_memory(l->task), .reg = INSN_NO_REG};

	if (!read_loads(l->task, &s))
		return;
	l->sp = s.sp;
	l->pc = s.pc;
	l->reason = end_calls(l->task->unwinding, first.sp, l->sp) ? KEEPER_BY_END
								   : KEEPER_BY_LONGJMP;
	l->returns = first.sp;
	leave(l, &first);
}

void unwound_reach(struct keeper_program *program, struct task *task,
		   const struct regs *regs, enum keeper_leave how)
{
	struct leaving l = {.program = program, .task = task, .regs = regs};

	if (!task->process->space->frames)
		return;
	if (!task->unwinding)
		task->unwinding = oom_calloc(1, sizeof(*task->unwinding));
	switch (how) {
	case KEEPER_LEAVE_RAISE:
	case KEEPER_LEAVE_RESUME:
	case KEEPER_LEAVE_FORCED:
		note_call(task, regs, how);
		break;
	case KEEPER_LEAVE_CAUGHT:
		on_caught(&l);
		break;
	case KEEPER_LEAVE_LONGJMP:
	case KEEPER_LEAVE_LONGJMP_PLAIN:
		on_jump(&l, how == KEEPER_LEAVE_LONGJMP);
		break;
	case KEEPER_LEAVE_REGISTERS:
		on_registers(&l);
		break;
	case KEEPER_LEAVE_LOADS:
		on_loads(&l);
		break;
	case KEEPER_LEAVES:
		break;
	}
}
