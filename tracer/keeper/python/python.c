/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/python/python.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/procfs.h"
#include "tracer/keeper/python/objects.h"
#include "tracer/keeper/space/space.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * CPython 3.11: Include/internal/pycore_runtime.h, pycore_interp.h, pycore_frame.h and
 * Include/cpython/pystate.h, on x86-64. The front has compared the version
 * (tracer/jit/python.c).
 */
enum {
	RUNTIME_INTERPRETERS = 40,
	INTERPRETER_NEXT = 0,
	INTERPRETER_THREADS = 16,
	THREAD_PREVIOUS = 0,
	THREAD_NEXT = 8,
	THREAD_INTERPRETER = 16,
	THREAD_CFRAME = 56,
	THREAD_NATIVE_ID = 160,
	CFRAME_FRAME = 8,
	CFRAME_PREVIOUS = 16,
	FRAME_CODE = 32, /* what is read of a frame */
	FRAME_PREVIOUS = 48,
	FRAME_INSTRUCTION = 56,
	FRAME_IS_ENTRY = 68,
	FRAME_LAST = 69,
};

#define INTERPRETERS_MAX 16
#define THREADS_MAX	 4096

/* The interpreter's state of a thread with this number; 0: there is none. */
static uint64_t find_number(struct python *p, uint64_t runtime, uint64_t number)
{
	uint64_t interpreter = python_word(p, runtime + RUNTIME_INTERPRETERS);

	for (int i = 0; i < INTERPRETERS_MAX && interpreter; i++) {
		uint64_t thread = python_word(p, interpreter + INTERPRETER_THREADS);

		for (int k = 0; k < THREADS_MAX && thread; k++) {
			if (python_word(p, thread + THREAD_NATIVE_ID) == number)
				return thread;
			thread = python_word(p, thread + THREAD_NEXT);
		}
		interpreter = python_word(p, interpreter + INTERPRETER_NEXT);
	}
	return 0;
}

/* Whether it is there still, and in the list: what was freed may have the same words. */
static bool is_thread(struct python *p, uint64_t thread, uint64_t number)
{
	uint64_t before;

	if (!thread || python_word(p, thread + THREAD_NATIVE_ID) != number)
		return false;
	before = python_word(p, thread + THREAD_PREVIOUS);
	before = before ? before + THREAD_NEXT
			: python_word(p, thread + THREAD_INTERPRETER) +
				  INTERPRETER_THREADS;
	return python_word(p, before) == thread;
}

/* That of a thread of the target. Of thousands it is not looked for each time. */
static uint64_t find_thread(struct python *p, struct task *task)
{
	const struct space *space = task->process->space;
	uint64_t number;

	if (!space->python)
		return 0;
	number = space->has_own_ids ? procfs_inner_tid(task->tid) : (uint64_t)task->tid;
	if (!is_thread(p, task->python, number))
		task->python = find_number(p, space->python, number);
	return task->python;
}

struct frame {
	uint64_t code, previous, instruction;
	bool is_entry; /* the outermost that its evaluation runs */
};

/* False: unreadable; then it has no code and none before it. */
static bool load_frame(struct python *p, uint64_t at, struct frame *out)
{
	unsigned char bytes[FRAME_LAST - FRAME_CODE];

	*out = (struct frame){0};
	if (!python_load(p, at + FRAME_CODE, bytes, sizeof(bytes)))
		return false;
	memcpy(&out->code, bytes, sizeof(out->code));
	memcpy(&out->previous, bytes + (FRAME_PREVIOUS - FRAME_CODE),
	       sizeof(out->previous));
	memcpy(&out->instruction, bytes + (FRAME_INSTRUCTION - FRAME_CODE),
	       sizeof(out->instruction));
	out->is_entry = bytes[FRAME_IS_ENTRY - FRAME_CODE];
	return true;
}

/* ---- as text ---- */

static void put_text(struct python *p, const char *s)
{
	while (*s)
		python_put(p, *s++);
}

static void put_frame(struct python *p, const struct frame *f)
{
	char line[32] = ":?)";
	struct python_code code;
	uint64_t number = 0;

	if (python_load_code(p, f->code, &code))
		number = python_line(p, &code, f->instruction);
	if (p->len)
		python_put(p, '\n');
	python_put_name(p, code.name);
	put_text(p, " (");
	python_put_file(p, code.file);
	if (number)
		snprintf(line, sizeof(line), ":%" PRIu64 ")", number);
	put_text(p, line);
}

size_t python_stack(struct task *task, char *buf, size_t cap, uint32_t n)
{
	uint64_t thread, at = 0;
	struct python p;

	python_begin(&p, task->process->space->mem);
	p.buf = buf;
	p.cap = cap;
	thread = find_thread(&p, task);
	if (thread)
		at = python_word(&p, python_word(&p, thread + THREAD_CFRAME) +
					     CFRAME_FRAME);
	for (; at && n && p.len + 1 < cap; n--) {
		struct frame f;

		load_frame(&p, at, &f);
		put_frame(&p, &f);
		at = f.previous;
	}
	if (cap)
		buf[p.len] = '\0';
	return p.len;
}

/* ---- among native frames ---- */

/*
 * The struct _PyCFrame of an evaluation: a variable in the native frame of
 * _PyEval_EvalFrameDefault, which tells the two apart from any other without symbols.
 */
struct cframe {
	uint64_t at, frame, previous;
};

struct merge {
	struct python p;
	struct python_words *names;
	struct space *space;
	struct cframe evaluation; /* the innermost that was not met yet */
	uint64_t *pcs;
	uint32_t n, count;
	uint64_t last_pc; /* of the native frame met last */
};

static void load_cframe(struct merge *m, uint64_t at)
{
	uint64_t words[2] = {0};

	if (!python_load(&m->p, at + CFRAME_FRAME, words, sizeof(words)))
		at = 0;
	m->evaluation = (struct cframe){at, words[0], words[1]};
}

static const char *end_text(struct python *p)
{
	p->buf[p->len] = '\0';
	return p->buf;
}

static void add_frame(struct merge *m, const struct frame *f)
{
	char function[PYTHON_NAME_MAX + 8], file[PYTHON_NAME_MAX + 8];
	struct python *p = &m->p;
	struct python_name name;
	struct python_code code;
	uint64_t line = 0;

	if (python_load_code(p, f->code, &code))
		line = python_line(p, &code, f->instruction);
	name.line = line <= UINT32_MAX ? (uint32_t)line : 0;
	p->buf = function;
	p->cap = sizeof(function);
	p->len = 0;
	python_put_name(p, code.name);
	name.function = end_text(p);
	p->buf = file;
	p->len = 0;
	python_put_file(p, code.file);
	name.file = end_text(p);
	m->pcs[m->count++] = python_words_of(m->names, &m->space->python_names, &name);
}

/*
 * The frames of an evaluation. False: there are none, for it is just being entered: its
 * outermost frame does not lead to that of the evaluation before it.
 */
static bool add_evaluation(struct merge *m)
{
	const struct cframe *c = &m->evaluation;
	const uint32_t first = m->count;
	uint64_t at = c->frame;
	struct frame f;

	while (m->count < m->n) {
		if (!at || !load_frame(&m->p, at, &f))
			break;
		add_frame(m, &f);
		at = f.previous;
		if (f.is_entry && at == python_word(&m->p, c->previous + CFRAME_FRAME))
			return true;
		if (f.is_entry)
			break;
	}
	if (m->count == m->n)
		return true;
	m->count = first;
	return false;
}

static bool visit(void *ctx, const struct stacks_frame *native)
{
	struct merge *m = ctx;
	const struct cframe *c = &m->evaluation;
	bool is_python = false;

	m->last_pc = native->pc;
	if (c->at && c->at >= native->sp && c->at < native->end &&
	    native->end != UINT64_MAX) {
		is_python = add_evaluation(m);
		load_cframe(m, c->previous);
	}
	if (!is_python)
		m->pcs[m->count++] = native->pc;
	return m->count < m->n;
}

/* Not all of it is zeroed: it has pages. */
static void begin_merge(struct merge *m, struct space *space)
{
	python_begin(&m->p, space->mem);
	m->space = space;
	m->count = 0;
	m->last_pc = 0;
}

uint32_t python_merge(struct task *task, struct stacks_thread *t,
		      struct python_words *names, uint64_t *pcs, uint32_t n)
{
	struct space *space = task->process->space;
	struct merge m;
	const struct stacks_visit v = {
		.mem = space->mem, .thread = t, .visit = visit, .ctx = &m};
	uint64_t thread;

	begin_merge(&m, space);
	m.names = names;
	m.pcs = pcs;
	m.n = n;
	thread = find_thread(&m.p, task);
	t->truncated_pc = taddr_of(0);
	if (!thread || !n)
		return 0;
	load_cframe(&m, python_word(&m.p, thread + THREAD_CFRAME));
	if (stacks_each(space->stacks, &v) == STACKS_TRUNCATED)
		t->truncated_pc = taddr_of(m.last_pc);
	return m.count;
}
