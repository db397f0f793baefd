/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/fire/fire.h"
#include "tracer/keeper/fire/destructive.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/procfs.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/python/python.h"
#include "tracer/keeper/space/stacks.h"
#include "vm/base/host/clock.h"
#include "vm/base/proc/fdinfo.h"
#include "vm/base/proc/procinfo.h"
#include "vm/base/str.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Arguments in registers at a function's entry (System V ABI, 3.2.3). */
/* Strings are read in pieces: a short one does not cost a page. */
#define STR_PIECE 256

#define VECTOR_ARGS 8 /* uvectors[] */

const struct regs *fire_regs(const struct fire *f)
{
	struct fire_later *later = f->later;
	uint64_t pc = regs_pc(f->regs);

	if (!later)
		return f->regs;
	later->is_used = true;
	if (later->is_due && pt_regs(f->task->tid, later->regs) == 0)
		regs_set_pc(later->regs, pc);
	later->is_due = false;
	return f->regs;
}

static int memory_of(const struct fire *f)
{
	return f->task->process->space->mem;
}

static int read_target(void *ctx, taddr addr, void *buf, size_t n, taddr *bad)
{
	const struct fire *f = ctx;
	size_t done = mem_peek(memory_of(f), addr, buf, n);

	if (done < n) {
		*bad = taddr_add(addr, (int64_t)done);
		return STATUS_FAULT;
	}
	space_hide(f->task->process->space, addr, buf, n);
	return 0;
}

static int64_t read_str(void *ctx, taddr addr, char *buf, size_t n, taddr *bad)
{
	const struct fire *f = ctx;
	size_t done = 0;

	while (done < n) {
		size_t part = min_u64(n - done, STR_PIECE);
		size_t got = mem_peek_some(memory_of(f), taddr_add(addr, (int64_t)done),
					   buf + done, part);
		const char *end;

		space_hide(f->task->process->space, taddr_add(addr, (int64_t)done),
			   buf + done, got);
		end = memchr(buf + done, '\0', got);
		if (end)
			return end - buf;
		done += got;
		if (!got) {
			*bad = taddr_add(addr, (int64_t)done);
			return STATUS_FAULT;
		}
	}
	return (int64_t)n;
}

/* Of a vector register, the low 8 bytes. */
static int vector_operand(const struct fire *f, const struct probe_operand *o,
			  uint64_t *value)
{
	int status = pt_vector_arg(f->task->tid, o->base, value);

	*value = status ? 0 : probe_operand_extend(o, *value);
	return status;
}

static int memory_operand(const struct fire *f, const struct probe_operand *o,
			  uint64_t *value)
{
	uint64_t at = probe_operand_address(o, fire_regs(f), regs_sp(fire_regs(f))),
		 word = 0;

	if (o->is_thread_local)
		at += regs_ureg(fire_regs(f), REGS_UREG_TLS);
	if (mem_peek(memory_of(f), taddr_of(at), &word, o->size) != o->size)
		return STATUS_FAULT;
	space_hide(f->task->process->space, taddr_of(at), &word, o->size);
	*value = probe_operand_extend(o, word);
	return 0;
}

/* Of a site with a note, which says where its arguments are. */
static int operand_argument(const struct fire *f, uint64_t i, uint64_t *value)
{
	uint32_t set = f->hit->first_range;
	const struct probe_operand *o;

	if (set >= f->program->noperands || i >= PROBE_OPERANDS_MAX)
		return STATUS_RANGE;
	o = &f->program->operands[set].arg[i];
	switch (o->kind) {
	case PROBE_OPERAND_CONSTANT:
	case PROBE_OPERAND_REGISTER:
		*value = probe_operand_value(o, fire_regs(f), regs_sp(fire_regs(f)));
		return 0;
	case PROBE_OPERAND_MEMORY:
		return memory_operand(f, o, value);
	case PROBE_OPERAND_VECTOR:
		return vector_operand(f, o, value);
	default:
		return STATUS_RANGE;
	}
}

/* Argument i of a function, as its calling convention says. */
static int entry_argument(const struct fire *f, uint64_t i, uint64_t *value)
{
	enum regs_convention by = keeper_site_convention(f->hit->kind);
	uint64_t at;

	if (by == REGS_CONVENTION_NOTE)
		return operand_argument(f, i, value);
	switch (regs_find_arg(fire_regs(f), regs_sp(fire_regs(f)), by, i, value)) {
	case REGS_IN_REGISTER:
		return 0;
	case REGS_ON_STACK:
		at = *value;
		if (mem_peek(memory_of(f), taddr_of(at), value, 8) != 8)
			*value = 0; /* the stack ends there */
		return 0;
	default:
		return STATUS_RANGE;
	}
}

/* Where the jump at the site goes; 0: not known. */
static uint64_t jump_target(const struct fire *f)
{
	struct step_memory mem = fire_memory(f->task);
	taddr target;

	return step_target(&f->site->in, fire_regs(f), &mem, &target) ? 0 : target.v;
}

static int result(const struct fire *f, uint64_t i, uint64_t *value)
{
	enum regs_convention by = keeper_site_convention(f->hit->kind);

	if (by == REGS_CONVENTION_TAIL_CALL) {
		*value = jump_target(f);
		return STATUS_LATER;
	}
	return regs_find_result(fire_regs(f), by, i, value) == REGS_NOWHERE
		       ? STATUS_RANGE
		       : 0;
}

static int site_argument(const struct fire *f, uint64_t i, uint64_t *value)
{
	if (keeper_site_event(f->hit->kind) != KEEPER_SITE_RETURN)
		return entry_argument(f, i, value);
	if (i > 0)
		return result(f, i - 1, value);
	*value = f->hit->arg0;
	return 0;
}

/* What happened (0 entry, 1 return, 2 an instruction), where, and its arguments. */
static int raw_argument(const struct fire *f, uint64_t i, uint64_t *value)
{
	enum keeper_site_kind event = keeper_site_event(f->hit->kind);

	if (i == 0)
		*value = event == KEEPER_SITE_RETURN   ? 1
			 : event == KEEPER_SITE_OFFSET ? 2
						       : 0;
	else if (i == 1) /* a part may lie before the function's beginning */
		*value = f->site->in.addr.v - (uint64_t)(int64_t)(int32_t)f->hit->arg0;
	else
		return site_argument(f, event == KEEPER_SITE_RETURN ? i - 1 : i - 2,
				     value);
	return 0;
}

static int argument(const struct fire *f, uint64_t i, uint64_t *value)
{
	const uint64_t truncated[] = {f->truncated_pc, f->truncated_frames};

	if (i > 9)
		return STATUS_RANGE;
	*value = 0;
	if (f->is_truncated)
		*value = i < ARRAY_LEN(truncated) ? truncated[i] : 0;
	else if (f->site && keeper_site_is_raw(f->hit->kind))
		return raw_argument(f, i, value);
	else if (f->site)
		return site_argument(f, i, value);
	else if (i < f->nargs)
		*value = f->args[i];
	return 0;
}

static int user_register(const struct fire *f, uint64_t i, uint64_t *value)
{
	if (i == REGS_UREG_PLACE) {
		*value = f->site && f->hit ? f->hit->place : 0;
		return 0;
	}
	if (i >= REGS_UREGS)
		return STATUS_RANGE;
	*value = regs_ureg(fire_regs(f), (uint32_t)i);
	return 0;
}

/* Read at each use: few clauses use them, and then one or two. */
static int vector_register(const struct fire *f, uint64_t i, uint64_t *value)
{
	return i < VECTOR_ARGS ? pt_vector_arg(f->task->tid, i, value) : STATUS_RANGE;
}

/* At an entry, a ret or a tail call the return address is on top of the stack. */
static bool is_edge(const struct fire *f)
{
	return f->site && keeper_site_event(f->hit->kind) != KEEPER_SITE_OFFSET;
}

static int process_value(const struct fire *f, enum builtin id, uint64_t *value)
{
	struct procfs_status st;

	if (procfs_status(f->task->tid, &st) < 0)
		return STATUS_GONE;
	if (id == BUILTIN_ppid)
		*value = (uint64_t)st.ppid;
	else
		*value = id == BUILTIN_uid ? st.uid : st.gid;
	return 0;
}

static uint32_t walk(const struct fire *f, uint64_t *pcs, uint32_t n,
		     uint64_t *truncated_pc)
{
	struct stacks_thread t = {
		.mem = memory_of(f),
		.regs = fire_regs(f),
		.is_edge = is_edge(f),
	};
	struct python_words *names = f->program->python_words;
	uint32_t count = 0;

	if (names && pcs)
		count = python_merge(f->task, &t, names, pcs, n);
	if (!count)
		count = stacks_walk(f->task->process->space->stacks, &t, pcs, n);
	*truncated_pc = t.truncated_pc.v;
	return count;
}

static uint32_t user_stack(void *ctx, uint64_t *pcs, uint32_t n)
{
	struct fire *f = ctx;
	uint64_t truncated_pc;
	uint32_t count = walk(f, pcs, n, &truncated_pc);

	/* missed-ustack does not report its own stacks */
	if (truncated_pc && !f->is_truncated) {
		const struct vm *vm = &f->program->vm;

		state_drops(vm->state, vm->slot)->stacks++;
		f->truncated_pc = truncated_pc;
		f->truncated_frames = count;
	}
	return count;
}

/* The caller of the function that the thread is in. */
static int caller(struct fire *f, uint64_t *value)
{
	struct stacks_thread t = {.mem = memory_of(f), .regs = fire_regs(f)};
	uint64_t pcs[2];

	*value = 0;
	if (!is_edge(f)) {
		if (stacks_walk(f->task->process->space->stacks, &t, pcs, 2) == 2)
			*value = pcs[1];
		return 0;
	}
	if (mem_peek(memory_of(f),
		     taddr_of(regs_return_address_at(regs_sp(fire_regs(f)))), value,
		     8) != 8)
		*value = 0;
	return 0;
}

_Static_assert((int)BUILTIN_curlwpsinfo_onpro - (int)BUILTIN_curpsinfo_pgid ==
		       (int)PROCINFO_ONPRO,
	       "the numbers of procinfo.h in their order");
_Static_assert((int)BUILTIN_curpsinfo_psargs - (int)BUILTIN_cwd == (int)PROCINFO_PSARGS,
	       "its texts");

static int info_value(const struct fire *f, enum builtin id, uint64_t *value)
{
	if (id < BUILTIN_curpsinfo_pgid || id > BUILTIN_curlwpsinfo_onpro)
		return STATUS_RANGE;
	return procinfo_number(f->task->process->pid, f->task->tid,
			       (enum procinfo_number)(id - BUILTIN_curpsinfo_pgid),
			       value);
}

/* The call that it is in, or -1: as its registers say, which are 0 once it has gone. */
static uint64_t system_call(const struct fire *f)
{
	return regs_pc(fire_regs(f)) ? (uint64_t)regs_syscall(fire_regs(f))
				     : UINT64_MAX;
}

static int builtin_value(void *ctx, enum builtin id, uint64_t index, uint64_t *value)
{
	struct fire *f = ctx;

	if (id >= BUILTIN_arg0 && id <= BUILTIN_arg9)
		return argument(f, index, value);
	switch ((int)id) {
	case BUILTIN_uregs:
		return user_register(f, index, value);
	case BUILTIN_uvectors:
		return vector_register(f, index, value);
	case BUILTIN_ucaller:
		return caller(f, value);
	case BUILTIN_pid:
		*value = (uint64_t)f->task->process->pid;
		return 0;
	case BUILTIN_tid:
		*value = (uint64_t)f->task->tid;
		return 0;
	case BUILTIN_ppid:
	case BUILTIN_uid:
	case BUILTIN_gid:
		return process_value(f, id, value);
	case BUILTIN_timestamp:
		*value = clock_now_ns();
		return 0;
	case BUILTIN_walltimestamp:
		*value = clock_ns(CLOCK_REALTIME);
		return 0;
	case BUILTIN_vtimestamp:
		return procfs_runtime(f->task->tid, value);
	case BUILTIN_errno:
		*value = f->error;
		return 0;
	case BUILTIN_curlwpsinfo_syscall:
		*value = system_call(f);
		return 0;
	case BUILTIN_curcpu_chip:
		*value = procinfo_chip(f->program->vm.cpu);
		return 0;
	default:
		return info_value(f, id, value);
	}
}

static int builtin_text(void *ctx, enum builtin id, char *buf, size_t cap)
{
	const struct fire *f = ctx;

	enum procinfo_text what = PROCINFO_NAME;

	if (id >= BUILTIN_cwd && id <= BUILTIN_curpsinfo_psargs)
		what = (enum procinfo_text)(id - BUILTIN_cwd);
	else if (id != BUILTIN_execname)
		return STATUS_RANGE;
	procinfo_text(f->task->process->pid, f->task->tid, what, buf, cap);
	return 0;
}

static int write_target(void *ctx, taddr addr, const void *buf, size_t n, taddr *bad)
{
	const struct fire *f = ctx;

	return destructive_write(f->task, addr, buf, n, bad);
}

/* Whether the process, with its children, may have one more: then that is counted. */
static bool takes_copy(struct keeper_program *p, const struct process *process)
{
	int family = process->space->family ? process->space->family : process->pid;
	uint64_t n = 0;

	map_get(&p->copies, (uint64_t)family, &n);
	if (n >= p->copies_max)
		return false;
	map_set(&p->copies, (uint64_t)family, n + 1);
	return true;
}

/* One copy serves all clauses of the firing. Elsewhere than at a site none is made. */
static int number_of_copy(struct fire *f)
{
	struct keeper_program *p = f->program;

	if (!f->site)
		return STATUS_UNSUP;
	if (!f->copy && takes_copy(p, f->task->process))
		f->copy = ++p->ncopies;
	return (int)f->copy;
}

static int control(void *ctx, enum vm_control what, uint64_t value)
{
	struct fire *f = ctx;

	if (what == VM_COPY)
		return number_of_copy(f);
	return destructive_control(f->task, &f->program->chill, what, value);
}

static int progenyof(void *ctx, uint64_t pid)
{
	const struct fire *f = ctx;

	return procinfo_is_progeny(f->task->process->pid, pid);
}

static int64_t descriptor(void *ctx, int fd, uint32_t what, char *buf, size_t cap)
{
	const struct fire *f = ctx;

	return fdinfo_get(f->task->process->pid, fd, (enum fdinfo)what, buf, cap);
}

static size_t python(void *ctx, char *buf, size_t cap, uint32_t n)
{
	const struct fire *f = ctx;

	return python_stack(f->task, buf, cap, n);
}

/* Memory for the emulated instruction: the same as the D program sees. */
static int step_read(void *ctx, taddr addr, void *buf, size_t n)
{
	const struct task *task = ctx;

	if (mem_load(task->process->space->mem, addr, buf, n) < 0)
		return STATUS_FAULT;
	space_hide(task->process->space, addr, buf, n);
	return 0;
}

static int step_write(void *ctx, taddr addr, const void *buf, size_t n)
{
	const struct task *task = ctx;

	return mem_poke(task->process->space->mem, addr, buf, n);
}

struct step_memory fire_memory(const struct task *task)
{
	return (struct step_memory){(void *)(uintptr_t)task, step_read, step_write};
}

static bool is_inside(const struct fire *f, uint64_t addr)
{
	const struct addr_range *ranges = f->task->process->space->ranges.data;

	for (uint32_t i = 0; i < f->hit->nranges; i++) {
		const struct addr_range *r = &ranges[f->hit->first_range + i];

		if (addr_range_holds(r, taddr_of(addr)))
			return true;
	}
	return false;
}

/* A ret always leaves; a jump leaves when it is taken and goes outside. */
static bool is_leaving(const struct fire *f)
{
	struct step_memory mem;
	taddr target;

	if (f->site->in.kind == INSN_RET)
		return true;
	mem = fire_memory(f->task);
	if (step_target(&f->site->in, fire_regs(f), &mem, &target) < 0)
		return false; /* the instruction will fault instead */
	return !is_inside(f, target.v);
}

/* A stack was truncated: that is an event of its own, after the one that took it. */
static void fire_truncated(struct fire *f)
{
	struct keeper_program *p = f->program;

	if (p->missed_ustack) {
		f->is_truncated = true;
		vm_fire_unheard(&p->vm, p->missed_ustack, VM_FIRE_NORMAL);
		f->is_truncated = false;
	}
	f->truncated_frames = 0;
}

/* A clause in the process itself has ended tracing; the front does not know yet. */
static bool has_stopped(const struct fire *f)
{
	const struct detours *d = f->task->process->space->detours;

	return f->program->stops_there && d && d->state.state &&
	       state_is_stopped(d->state.state);
}

/* True: the probe has fired. */
static bool fire_hit(struct fire *f, uint32_t probe)
{
	struct keeper_program *p = f->program;
	bool has_fired;

	if (has_stopped(f))
		return false;
	has_fired = vm_fire(&p->vm, &p->probes[probe], VM_FIRE_NORMAL);
	p->fired += has_fired;
	if (f->truncated_frames)
		fire_truncated(f);
	return has_fired;
}

/* Stacks and losses of diag:::fpid itself are no events. */
static void fire_raw(struct fire *f)
{
	struct keeper_program *p = f->program;

	if (has_stopped(f))
		return;
	vm_fire_unheard(&p->vm, &p->probes[f->hit->probe], VM_FIRE_NORMAL);
	f->truncated_frames = 0;
}

/* Whether the hit, which has a role, fires: its arg0 may be another then. */
static bool follows(struct fire *f)
{
	struct tail_step step = {
		.role = keeper_site_role(f->hit->kind),
		.probe = f->hit->probe,
		.sp = regs_sp(fire_regs(f)),
		.arg0 = f->hit->arg0,
	};

	if (!tail_calls_step(task_tail_calls(f->task), &f->program->vm.env, &step))
		return false;
	f->followed = *f->hit;
	f->followed.arg0 = step.arg0;
	f->hit = &f->followed;
	return true;
}

/* True: the probe of the hit has fired, and is not one of diag:::fpid. */
static bool fire_at_site(struct fire *f)
{
	if (f->hit->probe >= f->program->nprobes ||
	    (keeper_site_event(f->hit->kind) == KEEPER_SITE_RETURN && !is_leaving(f)) ||
	    (keeper_site_role(f->hit->kind) && !follows(f)))
		return false;
	if (!keeper_site_is_raw(f->hit->kind))
		return fire_hit(f, f->hit->probe);
	fire_raw(f);
	return false;
}

void fire_wake(void *ctx, _Atomic uint32_t *word)
{
	(void)ctx;
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* The thread waits when its stop has been handled; the keeper does not. */
static void note_crowded(void *ctx)
{
	const struct fire *f = ctx;

	f->task->is_crowded = true;
}

/* Sets the machine up for this firing. */
static void bind(struct fire *f)
{
	struct vm *vm = &f->program->vm;

	vm->env = (struct vm_env){.ctx = f,
				  .read = read_target,
				  .read_str = read_str,
				  .builtin = builtin_value,
				  .builtin_str = builtin_text,
				  .stack = user_stack,
				  .write = write_target,
				  .control = control,
				  .progenyof = progenyof,
				  .descriptor = descriptor,
				  .python = python,
				  .wake = fire_wake,
				  .wait = note_crowded};
	vm->cpu = (uint32_t)sched_getcpu();
	vm->pid = (uint32_t)f->task->process->pid;
	vm->tid = (uint32_t)f->task->tid;
	vm->thread = f->task->identity;
	vm->own_time = own_time_is_on(vm->state) ? task_time_now(f->task) : 0;
}

void fire_probe(struct fire *f, uint32_t probe)
{
	if (!f->program->image || probe >= f->program->nprobes)
		return;
	bind(f);
	fire_hit(f, probe);
}

static void note_provider(struct fire *f, bool has_fired)
{
	if (!keeper_program_may_jump(f->program, f->hit->probe)) {
		f->npid += has_fired;
		f->pid = has_fired ? f->hit : f->pid;
		return;
	}
	if (!f->fpid)
		f->fpid = f->hit;
	f->nfpid += has_fired;
}

/* The thread has moved memory, in which our bytes may be. */
static bool is_held_by_move(struct fire *f)
{
	const struct mapping_move move = mapping_call_move(fire_regs(f));
	struct space *s = f->task->process->space;

	if (move.from.hi.v && space_restore_moved(s, &move)) {
		f->mapped = mapping_move_range(&move);
		return true;
	}
	f->maps_often = mapping_move_is_last(&s->mapping_calls, clock_now_ns());
	return f->maps_often;
}

/* The thread has called mprotect(2): whether sites are in what can be written to now. */
static void note_writable(struct fire *f)
{
	const struct addr_range r = mapping_call_writable(fire_regs(f));

	if (space_has_sites(f->task->process->space, r))
		f->writable = r;
}

/* Whether the thread is held at the hit, a KEEPER_SITE_HOLD. */
static bool is_held(struct fire *f)
{
	enum keeper_hold hold = (enum keeper_hold)f->hit->arg0;
	struct mapping_calls *calls = &f->task->process->space->mapping_calls;

	if (hold == KEEPER_HOLD_ALWAYS)
		return true;
	if (hold == KEEPER_HOLD_MREMAP)
		return is_held_by_move(f);
	if (hold == KEEPER_HOLD_MPROTECT || hold == KEEPER_HOLD_WRITABLE)
		note_writable(f);
	if (hold == KEEPER_HOLD_WRITABLE) {
		f->maps_often = !f->writable.hi.v &&
				mapping_move_is_last(calls, clock_now_ns());
		return f->maps_often;
	}
	f->mapped = mapping_call_range(hold, fire_regs(f));
	if (!mapping_call_holds(calls, &f->mapped, clock_now_ns()))
		return false;
	f->maps_often = calls->is_often;
	return true;
}

bool fire_site(struct fire *f)
{
	const struct space *s = f->task->process->space;
	bool is_hold = false;

	if (f->program->image)
		bind(f);
	for (uint32_t n = f->site->hits.first; n; n = s->bpts.hits.data[n - 1].next) {
		bool has_fired = false;

		f->hit = &s->bpts.hits.data[n - 1];
		if (n <= f->after)
			continue;
		if (keeper_site_leaves(f->hit->kind, f->hit->arg0))
			f->leave = f->hit->arg0;
		else if (f->hit->kind == KEEPER_SITE_HOLD)
			is_hold |= is_held(f);
		else if (f->program->image)
			has_fired = fire_at_site(f);
		if (f->program->image)
			note_provider(f, has_fired);
	}
	return is_hold;
}

bool fire_records(const struct fire *f)
{
	const struct space *s = f->task->process->space;

	for (uint32_t n = f->site->hits.first; n; n = s->bpts.hits.data[n - 1].next) {
		const struct bpt_hit *hit = &s->bpts.hits.data[n - 1];

		if (keeper_site_event(hit->kind) != KEEPER_SITE_HOLD &&
		    keeper_program_records(f->program, hit->probe))
			return true;
	}
	return false;
}
