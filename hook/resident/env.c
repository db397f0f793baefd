/* SPDX-License-Identifier: MIT */
/*
 * What the machine asks of its surroundings, answered inside the process: from the
 * saved registers, the block's constants, the target's memory and the vDSO.
 */
#include "hook/resident/level.h"
#include "hook/resident/sys.h"
#include "vm/base/bytes.h"
#include "vm/base/status.h"
#include "vm/base/str.h"

#define ARGS 10

#define CLOCK_REALTIME	0
#define CLOCK_MONOTONIC 1
#define CLOCK_THREAD	3 /* CLOCK_THREAD_CPUTIME_ID */

typedef int clock_fn(int32_t clock, struct sys_timespec *ts);

static enum regs_convention convention(const struct level *l)
{
	return l->now ? (enum regs_convention)l->now->convention : REGS_CONVENTION_C;
}

/* Of a return: the offset, and the registers that results are in. */
static int return_arg(struct level *l, uint64_t index, uint64_t *value)
{
	*value = l->now->arg0;
	if (index == 0)
		return 0;
	if (convention(l) == REGS_CONVENTION_TAIL_CALL) {
		*value = exit_target(l, l->now);
		return STATUS_LATER;
	}
	return regs_find_result(l->regs, convention(l), index - 1, value) ==
			       REGS_NOWHERE
		       ? STATUS_RANGE
		       : 0;
}

static int memory_operand(struct level *l, const struct probe_operand *o,
			  uint64_t *value)
{
	uint64_t at = probe_operand_address(o, l->regs, level_sp(l)), word = 0;
	taddr bad;

	if (o->is_thread_local)
		at += sys_thread_pointer();
	if (read_memory(l, taddr_of(at), &word, o->size, &bad))
		return STATUS_FAULT;
	*value = probe_operand_extend(o, word);
	return 0;
}

int operand_load(struct level *l, uint32_t set, uint64_t index, uint64_t *value)
{
	const struct probe_operand *o;

	if (set >= l->noperands || index >= PROBE_OPERANDS_MAX)
		return STATUS_RANGE;
	o = &l->operands[set].arg[index];
	switch (o->kind) {
	case PROBE_OPERAND_CONSTANT:
	case PROBE_OPERAND_REGISTER:
		*value = probe_operand_value(o, l->regs, level_sp(l));
		return 0;
	case PROBE_OPERAND_MEMORY:
		return memory_operand(l, o, value);
	default: /* the front plans no jump where a clause uses vector registers */
		return STATUS_RANGE;
	}
}

static int entry_arg(struct level *l, uint64_t index, uint64_t *value)
{
	uint64_t at;
	taddr bad;

	if (convention(l) == REGS_CONVENTION_NOTE)
		return operand_load(l, l->now->first_range, index, value);
	switch (regs_find_arg(l->regs, level_sp(l), convention(l), index, value)) {
	case REGS_IN_REGISTER:
		return 0;
	case REGS_ON_STACK:
		at = *value;
		if (read_memory(l, taddr_of(at), value, sizeof(*value), &bad))
			*value = 0; /* the stack ends there */
		return 0;
	default:
		return STATUS_RANGE;
	}
}

/* What happened (0 entry, 1 return, 2 an instruction), where, and its arguments. */
static int raw_arg(struct level *l, uint64_t index, uint64_t *value)
{
	const uint8_t kind = l->now->kind & (RESIDENT_RAW - 1);
	bool is_return = kind == RESIDENT_RETURN || kind == RESIDENT_LEAVING;

	if (index > 1)
		return is_return ? return_arg(l, index - 1, value)
				 : entry_arg(l, index - 2, value);
	if (index == 0)
		*value = is_return ? 1 : kind == RESIDENT_OFFSET ? 2 : 0;
	else /* a part may lie before the function's beginning */
		*value = level_pc(l) - (uint64_t)(int64_t)(int32_t)l->now->arg0;
	return 0;
}

static uint64_t truncated_arg(const struct level *l, uint64_t index)
{
	if (index > 1)
		return 0;
	return index ? l->truncated_frames : l->truncated_pc;
}

static int argument(struct level *l, uint64_t index, uint64_t *value)
{
	if (index >= ARGS)
		return STATUS_RANGE;
	if (!l->now || l->now->kind == RESIDENT_ENTRY ||
	    l->now->kind == RESIDENT_OFFSET)
		return entry_arg(l, index, value);
	if (l->now->kind & RESIDENT_RAW)
		return raw_arg(l, index, value);
	if (l->now->kind != RESIDENT_TRUNCATED)
		return return_arg(l, index, value);
	*value = truncated_arg(l, index);
	return 0;
}

/* As a stopped thread has them: the base of its own block is not the program's. */
static int user_register(const struct level *l, uint64_t index, uint64_t *value)
{
	struct regs r;

	if (index == REGS_UREG_PLACE) {
		*value = level_spot(l)->place;
		return 0;
	}
	if (index >= REGS_UREGS)
		return STATUS_RANGE;
	if (index < REGS_UREG_GENERAL || index == REGS_UREG_PC) {
		*value = index == REGS_UREG_PC ? level_pc(l)
					       : regs_ureg(l->regs, (uint32_t)index);
		return 0;
	}
	bytes_copy(&r, l->regs, sizeof(r)); /* an assignment may call memcpy() */
	regs_set_pc(&r, level_pc(l));
	regs_set_sp(&r, level_sp(l));
	regs_set_stopped(&r, index == REGS_UREG_TLS ? sys_thread_pointer() : 0);
	*value = regs_ureg(&r, (uint32_t)index);
	return 0;
}

static int clock_value(const struct level *l, int32_t clock, uint64_t *value)
{
	clock_fn *vdso = (clock_fn *)(uintptr_t)l->block->clock;
	struct sys_timespec ts = {0, 0};
	int err = vdso ? vdso(clock, &ts) : sys_clock_gettime(clock, &ts);

	if (err)
		return STATUS_IO;
	*value = (uint64_t)ts.sec * UINT64_C(1000000000) + (uint64_t)ts.nsec;
	if (clock == CLOCK_MONOTONIC)
		*value -= (uint64_t)l->block->ahead;
	return 0;
}

/*
 * The clock of the thread; a firing inside of another one, which may be just setting it,
 * reads that of the system.
 */
static int monotonic_value(struct level *l, uint64_t *value)
{
	struct tsc_clock *clock = &l->call.light.clock;
	uint64_t before, time;

	if (!l->block->has_tsc || l->tcb->gate.busy != 1)
		return clock_value(l, CLOCK_MONOTONIC, value);
	*value = tsc_clock_at(clock, machine_ticks());
	if (*value)
		return 0;
	before = machine_ticks_in_order();
	if (clock_value(l, CLOCK_MONOTONIC, &time))
		return STATUS_IO;
	*value = tsc_clock_set(clock, before, time, machine_ticks_in_order());
	return 0;
}

uint64_t env_now(struct level *l)
{
	uint64_t value;

	return monotonic_value(l, &value) ? 0 : value;
}

uint64_t env_clock(struct native_call *c)
{
	return env_now(c->vm->env.ctx);
}

static uint32_t cpu_number(void *ctx)
{
	const struct level *l = ctx;

	return l->block->has_rdpid ? machine_cpu_by_rdpid() : machine_cpu();
}

static int load_builtin(void *ctx, enum builtin id, uint64_t index, uint64_t *value)
{
	struct level *l = ctx;

	if (id >= BUILTIN_arg0 && id <= BUILTIN_arg9)
		return argument(l, index, value);
	switch ((int)id) {
	case BUILTIN_uregs:
		return user_register(l, index, value);
	case BUILTIN_ucaller:
		*value = stack_caller(l);
		return 0;
	case BUILTIN_pid:
		*value = l->block->pid;
		return 0;
	case BUILTIN_tid:
		*value = l->tcb->thread.tid;
		return 0;
	case BUILTIN_uid:
		*value = l->block->uid;
		return 0;
	case BUILTIN_gid:
		*value = l->block->gid;
		return 0;
	case BUILTIN_timestamp:
		return monotonic_value(l, value);
	case BUILTIN_walltimestamp:
		return clock_value(l, CLOCK_REALTIME, value);
	case BUILTIN_vtimestamp:
		return clock_value(l, CLOCK_THREAD, value);
	case BUILTIN_ppid:
		*value = sys_getppid();
		return 0;
	case BUILTIN_errno:
		*value = 0; /* that of a system call's return, which is no site */
		return 0;
	default:
		return STATUS_RANGE;
	}
}

static int load_text(void *ctx, enum builtin id, char *buf, size_t cap)
{
	char name[SYS_NAME_BYTES] = "";

	(void)ctx;
	if (id == BUILTIN_execname || id == BUILTIN_threadname)
		sys_thread_name(name);
	str_copy(buf, cap, name);
	return id == BUILTIN_execname || id == BUILTIN_threadname ? 0 : STATUS_RANGE;
}

static void wake(void *ctx, _Atomic uint32_t *word)
{
	(void)ctx;
	sys_futex_wake(word);
}

/*
 * The keeper lets the pool grow when the thread leaves level 0, at its trap. Without a
 * keeper that would end the process.
 */
static void grow(void *ctx)
{
	const struct level *l = ctx;
	uint32_t keeper = atomic_load_explicit(&l->block->keeper, memory_order_relaxed);

	if (l->tcb->gate.pending || keeper & RESIDENT_KEEPER_DIED)
		return;
	l->tcb->gate.pending =
		sys_unblock_trap() ? RESIDENT_STOPS_UNBLOCKED : RESIDENT_STOPS;
}

void env_bind(struct level *l)
{
	struct vm_env *env = &l->vm.env;

	env->ctx = l;
	read_bind(env);
	env->builtin = load_builtin;
	env->builtin_str = load_text;
	env->wake = wake;
	env->wait = wait_for_room;
	env->grow = grow;
	env->cpu = cpu_number;
	env->stack = stack_take;
}
