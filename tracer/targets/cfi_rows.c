/* SPDX-License-Identifier: MIT */
#include "tracer/targets/cfi_rows.h"
#include "tracer/files/file_limits.h"
#include "tracer/jit/python.h"
#include "tracer/output/out.h"
#include "tracer/output/progress.h"
#include "vm/base/host/log.h"
#include "vm/base/host/map.h"
#include "vm/base/host/vec.h"
#include "vm/isa.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool wants_stack(insn_t i)
{
	uint32_t what = (uint32_t)isa_imm(i);

	if (isa_op(i) == OP_CALL)
		return what == SUBR_ustack || what == SUBR_jstack;
	return isa_op(i) == OP_BI &&
	       (what == BUILTIN_ustackdepth || what == BUILTIN_ucaller);
}

static bool wants_python(insn_t i)
{
	return isa_op(i) == OP_CALL && (uint32_t)isa_imm(i) == SUBR_pystack;
}

static bool has_code(const void *image, bool (*is_meant)(insn_t i))
{
	const insn_t *code = program_section(image, SECTION_CODE);

	for (uint32_t i = 0; i < program_count(image, SECTION_CODE); i++)
		if (is_meant(code[i]))
			return true;
	return false;
}

bool cfi_rows_are_wanted(const void *image)
{
	return has_code(image, wants_stack);
}

bool cfi_rows_are_wanted_by(const void *image, uint32_t clause)
{
	const insn_t *code = program_section(image, SECTION_CODE);
	const struct program_clause *c = program_clause(image, clause);

	for (uint32_t i = c->first; i < c->first + c->count; i++)
		if (wants_stack(code[i]))
			return true;
	return false;
}

bool cfi_rows_python_is_wanted(const void *image)
{
	return has_code(image, wants_python);
}

/* Whether a format has %a or %A. May be true for text that only looks like one. */
static bool formats_address(const char *text)
{
	while ((text = strchr(text, '%'))) {
		text++;
		text += strspn(text, "-+ #0'?@*.123456789");
		if (*text == 'a' || *text == 'A')
			return true;
		text += *text == '%';
	}
	return false;
}

bool cfi_rows_names_are_wanted(const void *image)
{
	for (uint32_t i = 0; i < program_count(image, SECTION_FIELD); i++)
		if (program_is_location(program_field(image, i)))
			return true;
	for (uint32_t i = 0; i < program_count(image, SECTION_ACTION); i++) {
		uint32_t text = program_action(image, i)->text;

		if (text && formats_address(program_string(image, text)))
			return true;
	}
	return false;
}

/* What is sent at once: the modules, then all their rows. */
struct batch {
	struct {
		struct cfi_module *data;
		size_t len, cap;
	} modules; /* rows: index of the first, until make_file() */
	struct module_cfi_rows rows;
	struct map files;  /* file_key() -> how many of its mappings have rows */
	uint64_t rows_max; /* in all */
	bool is_cut;
};

/* A program may map a file thousands of times; real ones do it a few times. */
#define MAPPINGS_MAX 64

static uint64_t file_key(const struct module *m)
{
	return m->ino ^ m->dev << 40;
}

/* Counts the mappings of each file; false for those beyond the maximum. */
static bool is_one_of_few(struct batch *b, const struct module *m)
{
	uint64_t n = 0;

	map_get(&b->files, file_key(m), &n);
	map_set(&b->files, file_key(m), n + 1);
	return n < MAPPINGS_MAX;
}

/* Without rows it has one that says so: it is no code that was made at run time. */
static void add_module(struct batch *b, const struct module *m)
{
	struct module_cfi_rows rows;
	struct err e;

	if (m->hi.v - m->lo.v > UINT32_MAX)
		return;
	if (module_read_cfi_rows(m, &rows, &e))
		log_debug("stacks", "no rows of '%s'", m->path);
	else
		log_debug("stacks", "'%s': %zu rows", m->path, rows.len);
	if (rows.len > b->rows_max) {
		b->is_cut = true;
		vec_release(&rows);
	}
	if (!rows.len && b->rows_max)
		*vec_push(&rows) = (struct cfi_row){.form = CFI_ROW_NONE};
	if (rows.len)
		*vec_push(&b->modules) = (struct cfi_module){.lo = m->lo.v,
							     .hi = m->hi.v,
							     .rows = b->rows.len,
							     .nrows = rows.len};
	for (size_t i = 0; i < rows.len; i++)
		*vec_push(&b->rows) = rows.data[i];
	b->rows_max -= rows.len;
	vec_release(&rows);
}

static int make_file(const struct batch *b, size_t *size)
{
	size_t nmodules = b->modules.len * sizeof(*b->modules.data);
	size_t nrows = b->rows.len * sizeof(*b->rows.data);
	struct cfi_file head = {.magic = CFI_MAGIC,
				.nmodules = (uint32_t)b->modules.len,
				.bytes = sizeof(head) + nmodules + nrows};
	char *p = malloc(head.bytes);
	int fd;

	if (!p)
		return -1;
	memcpy(p, &head, sizeof(head));
	memcpy(p + sizeof(head), b->modules.data, nmodules);
	memcpy(p + sizeof(head) + nmodules, b->rows.data, nrows);
	for (size_t i = 0; i < b->modules.len; i++) {
		struct cfi_module *m = (void *)(p + sizeof(head));

		m[i].rows = sizeof(head) + nmodules + m[i].rows * sizeof(*b->rows.data);
	}
	fd = link_memfd(p, head.bytes);
	free(p);
	*size = head.bytes;
	return fd;
}

/* Looks at the reply to KEEPER_REQ_ROWS or KEEPER_REQ_FORGET. */
static void check_reply(const struct tracer *t, const struct target *target,
			const struct keeper_msg *reply)
{
	if (reply->status == 0 && reply->rows_reply.is_full)
		out_notice(
			t->out,
			"pid %d: it has more objects than fpid can be told of: for now "
			"it walks stacks by frame pointers only",
			target->pid);
}

static int send_batch(struct tracer *t, const struct target *target,
		      const struct batch *b, struct err *e)
{
	struct link_request req = {.msg = {.type = KEEPER_REQ_ROWS, .pid = target->pid},
				   .nfds = 1};
	struct keeper_msg reply;
	size_t size;
	int rc;

	req.fds[0] = make_file(b, &size);
	if (req.fds[0] < 0)
		return err_errno(e, STATUS_NOMEM, "cannot make the rows for stacks");
	req.msg.memory.bytes = size;
	rc = link_call(&t->link, &req, &reply, NULL, e);
	close(req.fds[0]);
	if (rc == 0)
		check_reply(t, target, &reply);
	return rc;
}

static void report_cut(const struct tracer *t, struct target *target)
{
	if (target->is_cut_reported)
		return;
	target->is_cut_reported = true;
	out_message(t->out,
		    "pid %d: the unwind tables of its files are too large: in some, "
		    "stacks are walked by frame pointers only; -x symlimit=SIZE raises "
		    "the limit of %llu MiB (to a fourth of SIZE)",
		    target->pid, (unsigned long long)(file_limits_rows(t) >> 20));
}

static void report_version(const struct tracer *t, const struct target *target,
			   uint32_t version)
{
	if (version)
		out_notice(t->out,
			   "pid %d: pystack() knows the frames of Python 3.11, not of "
			   "%u.%u",
			   target->pid, version >> 24, version >> 16 & 0xff);
	else
		out_notice(t->out,
			   "pid %d: pystack() knows the frames of Python 3.11, not of "
			   "an older one",
			   target->pid);
}

/* Tells the keeper where an interpreter keeps its frames, once for each image. */
static int send_python(struct tracer *t, struct target *target, struct err *e)
{
	struct link_request req = {
		.msg = {.type = KEEPER_REQ_PYTHON, .pid = target->pid}};
	struct python found;

	if (!t->wants_python || target->has_python || !target->modules ||
	    !target->memory || !python_find(target->modules, target->memory, &found))
		return 0;
	target->has_python = true;
	if (!found.runtime.v) {
		report_version(t, target, found.version);
		return 0;
	}
	req.msg.python.runtime = found.runtime;
	return link_call(&t->link, &req, NULL, NULL, e);
}

int cfi_rows_send(struct tracer *t, struct target *target, struct err *e)
{
	struct batch b = {.rows_max = file_limits_rows(t) / sizeof(struct cfi_row)};
	int rc = send_python(t, target, e);

	if (rc || !t->wants_rows || !target->modules)
		return rc;
	for (size_t i = 0; i < target->modules->len && !tracer_is_interrupted(t); i++) {
		const struct module *m = target->modules->data[i];
		bool is_wanted = is_one_of_few(&b, m);
		uint64_t n;

		if (map_get(&target->has_rows, (uint64_t)(uintptr_t)m, &n)) {
			b.rows_max -= min_u64(n, b.rows_max);
			continue;
		}
		n = b.rows_max;
		progress_at(t, "reading unwind tables", m->name, 0, 0);
		if (is_wanted)
			add_module(&b, m);
		map_set(&target->has_rows, (uint64_t)(uintptr_t)m, n - b.rows_max);
	}
	if (b.is_cut)
		report_cut(t, target);
	if (b.modules.len)
		rc = send_batch(t, target, &b, e);
	vec_release(&b.modules);
	vec_release(&b.rows);
	map_release(&b.files);
	return rc;
}

void cfi_rows_forget(struct tracer *t, struct target *target, const struct module *m,
		     const struct addr_range *range)
{
	struct link_request req = {.msg = {.type = KEEPER_REQ_FORGET,
					   .pid = target->pid,
					   .forget = {range->lo, range->hi}}};
	struct keeper_msg reply;
	struct err ignored; /* the exit of a dead target is an event */

	if (link_call(&t->link, &req, &reply, NULL, &ignored) == 0)
		check_reply(t, target, &reply);
	map_remove(&target->has_rows, (uint64_t)(uintptr_t)m);
}
