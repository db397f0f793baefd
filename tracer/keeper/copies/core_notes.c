/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/copies/core_notes.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/space/step.h"
#include "tracer/keeper/threads/stub_exit.h"

#include <elf.h>
#include <string.h>
#include <sys/procfs.h>

#define XSTATE_MAX 16384

/* A note of the kernel's, aligned as it writes them. */
static void add_note(struct strbuf *out, const char *name, uint32_t type,
		     const void *data, size_t n)
{
	static const char zeros[4];
	const Elf64_Nhdr h = {.n_namesz = (uint32_t)strlen(name) + 1,
			      .n_descsz = (uint32_t)n,
			      .n_type = type};

	strbuf_add(out, (const char *)&h, sizeof(h));
	strbuf_add(out, name, h.n_namesz);
	strbuf_add(out, zeros, -h.n_namesz & 3);
	strbuf_add(out, data, n);
	strbuf_add(out, zeros, -n & 3);
}

static void add_set(struct strbuf *out, int tid, const char *name, uint32_t type)
{
	static char set[XSTATE_MAX];
	size_t n = sizeof(set);

	if (pt_regset(tid, type, set, &n) == 0 && n)
		add_note(out, name, type, set, n);
}

static void add_thread(struct strbuf *out, const struct task *task, struct regs regs,
		       bool is_asleep)
{
	int tid = task->tid;
	struct elf_prstatus st = {.pr_pid = tid, .pr_fpvalid = !is_asleep};
	uint64_t words[PT_CORE_REGS], mask = 0;

	if (task->slot.tcb)
		regs_clear_tcb_base(&regs);
	pt_core_regs(&regs, words);
	memcpy(st.pr_reg, words, sizeof(words));
	if (!is_asleep && pt_mask(tid, &mask) == 0)
		st.pr_sighold = mask;
	add_note(out, "CORE", NT_PRSTATUS, &st, sizeof(st));
	if (is_asleep)
		return;
	add_set(out, tid, "CORE", NT_FPREGSET);
	add_set(out, tid, "LINUX", NT_X86_XSTATE);
}

/* Out of memory of ours, where the thread would be without us. */
static void translate(const struct task *task, struct regs *regs)
{
	struct space_place place = task_place(task, regs);

	switch (place.where) {
	case WHERE_TRAPPED:
	case WHERE_SLOT_BEFORE:
		regs_set_pc(regs, place.site->in.addr.v);
		break;
	case WHERE_SLOT_AFTER:
		step_pc_fixup(&place.site->in, place.site->slot.at,
			      place.site->slot.len, regs);
		break;
	case WHERE_STUB_PROLOGUE:
	case WHERE_STUB_EPILOGUE:
		stub_exit_translate(task, place.detour, regs);
		break;
	default:
		break;
	}
}

static void add_other(struct strbuf *out, const struct all_stop *s,
		      const struct all_stop_thread *t)
{
	const struct task *task = task_find(&s->k->tasks, t->tid);
	struct regs regs = {0};

	if (!task || !task->process)
		return;
	if (t->is_asleep) {
		regs_set_pc(&regs, t->pc.v);
		regs_set_sp(&regs, t->sp.v);
	} else if (pt_regs(t->tid, &regs) < 0) {
		return; /* it is dying */
	} else {
		translate(task, &regs);
	}
	add_thread(out, task, regs, t->is_asleep);
}

void core_notes_add(struct strbuf *out, const struct all_stop *s,
		    const struct task *task, const struct regs *regs)
{
	add_thread(out, task, *regs, false);
	for (size_t i = 0; i < s->threads.len; i++)
		if (s->threads.data[i].tid && s->threads.data[i].tid != task->tid)
			add_other(out, s, &s->threads.data[i]);
}
