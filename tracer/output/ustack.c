/* SPDX-License-Identifier: MIT */
#include "tracer/output/ustack.h"
#include "tracer/base/text.h"
#include "tracer/jit/jit.h"
#include "tracer/output/debug_files.h"
#include "tracer/output/kernel_names.h"
#include "tracer/output/patient_load.h"
#include "tracer/output/python_names.h"
#include "vm/base/bytes.h"
#include "vm/base/host/map.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SYMBOL_WIDTH 50
#define HELD_MAX                                                                       \
	256 /* files kept open; of further modules the names are loaded at once */

/* Modules that were unmapped, of which addresses may still have to be printed. */
#define FORMERS_MAX    4096
#define SUPERSEDED_MAX 64 /* so many of the oldest are looked at */

struct image {
	uint64_t pid;
	const struct modules *modules;
};

/* A module that was unmapped. */
struct former {
	uint64_t pid;
	uint64_t until; /* CLOCK_MONOTONIC */
	struct module *module;
};

struct ustack {
	struct {
		struct image *data;
		size_t len, cap;
	} images;
	struct {
		struct former *data;
		size_t len, cap;
	} formers; /* in the order of their unmapping */
	struct map
		by_file; /* file_key() -> the module of the file that was retired last */
	struct kernel_names *kernel; /* NULL: not needed yet */
	uint32_t nheld;		     /* files held open so far */
	bool demangles;
	bool is_raw;		     /* addresses have no names */
	bool has_lines, has_inlined; /* options ustackline, ustackinline */
	struct debug_files debug;    /* for these options */
	struct strbuf text;
	struct strbuf name; /* of a .cold part */
	bool is_folded;
	struct strbuf line;		   /* a folded stack */
	struct jit *jit;		   /* NULL: generated code has no names */
	const struct python_names *python; /* NULL: nor have Python frames */
};

struct ustack *ustack_new(const struct options *opt)
{
	struct ustack *u = oom_calloc(1, sizeof(*u));

	u->demangles = opt->demangle;
	u->is_raw = opt->noresolve;
	u->has_lines = opt->ustackline;
	u->has_inlined = opt->ustackinline;
	u->is_folded = opt->stackformat == STACKFORMAT_FOLDED;
	return u;
}

void ustack_free(struct ustack *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->formers.len; i++)
		module_free(u->formers.data[i].module);
	debug_files_release(&u->debug);
	kernel_names_free(u->kernel);
	vec_release(&u->formers);
	map_release(&u->by_file);
	vec_release(&u->images);
	strbuf_release(&u->text);
	strbuf_release(&u->name);
	strbuf_release(&u->line);
	free(u);
}

void ustack_set_jit(struct ustack *u, struct jit *jit)
{
	u->jit = jit;
}

void ustack_set_python(struct ustack *u, const struct python_names *names)
{
	u->python = names;
}

void ustack_set_kernel(struct ustack *u, struct kernel_names *names)
{
	kernel_names_free(u->kernel);
	u->kernel = names;
}

void ustack_set(struct ustack *u, int pid, const struct modules *ms)
{
	for (size_t i = 0; i < u->images.len; i++) {
		if (u->images.data[i].pid == (uint64_t)pid) {
			u->images.data[i].modules = ms;
			return;
		}
	}
	*vec_push(&u->images) = (struct image){(uint64_t)pid, ms};
}

static uint64_t file_key(const struct module *m)
{
	return m->ino ^ m->dev << 40;
}

bool ustack_share(const struct ustack *u, struct module *m)
{
	uint64_t former;

	return map_get(&u->by_file, file_key(m), &former) &&
	       module_share_symbols(m, (struct module *)(uintptr_t)former);
}

/* A file that cannot be read has no names, now or later. */
void ustack_keep(struct ustack *u, struct module *m)
{
	if (u->has_lines || u->has_inlined)
		debug_files_of(&u->debug, m, 0);
	if (ustack_share(u, m))
		return;
	if (u->nheld < HELD_MAX)
		u->nheld += patient_hold(m) > 0;
	else
		patient_load_symbols(m);
}

static void forget_former(struct ustack *u, size_t i)
{
	struct module *m = u->formers.data[i].module;
	uint64_t last;

	if (map_get(&u->by_file, file_key(m), &last) && last == (uint64_t)(uintptr_t)m)
		map_remove(&u->by_file, file_key(m));
	module_free(m);
	u->formers.len--;
	memmove(&u->formers.data[i], &u->formers.data[i + 1],
		(u->formers.len - i) * sizeof(*u->formers.data));
}

/* Whether a module that was unmapped later was at the same place. */
static bool is_superseded(const struct ustack *u, size_t i)
{
	const struct former *old = &u->formers.data[i];

	for (size_t k = u->formers.len; k-- > i + 1;) {
		const struct former *f = &u->formers.data[k];

		if (f->pid == old->pid && f->module->lo.v <= old->module->lo.v &&
		    f->module->hi.v >= old->module->hi.v)
			return true;
	}
	return false;
}

/* Frees one of the oldest. */
static void drop_former(struct ustack *u)
{
	size_t i = 0;

	while (i < SUPERSEDED_MAX && !is_superseded(u, i))
		i++;
	forget_former(u, i < SUPERSEDED_MAX ? i : 0);
}

void ustack_retire(struct ustack *u, int pid, struct module *m)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	ustack_retire_at(u, pid, m,
			 (uint64_t)ts.tv_sec * UINT64_C(1000000000) +
				 (uint64_t)ts.tv_nsec);
}

void ustack_retire_at(struct ustack *u, int pid, struct module *m, uint64_t until)
{
	if (u->formers.len == FORMERS_MAX)
		drop_former(u);
	map_set(&u->by_file, file_key(m), (uint64_t)(uintptr_t)m);
	*vec_push(&u->formers) = (struct former){
		.pid = (uint64_t)pid,
		.until = until,
		.module = m,
	};
}

/* ---- from addresses to modules ---- */

static struct module *find_former(const struct ustack *u, uint64_t pid, uint64_t time,
				  taddr pc)
{
	struct module *last = NULL;

	for (size_t i = 0; i < u->formers.len; i++) {
		const struct former *f = &u->formers.data[i];

		if (f->pid != pid || !taddr_in(pc, f->module->lo, f->module->hi))
			continue;
		last = f->module;
		if (time && time <= f->until)
			return last;
	}
	return time ? NULL : last;
}

static struct module *find_present(const struct ustack *u, uint64_t pid, taddr pc)
{
	for (size_t i = 0; i < u->images.len; i++)
		if (u->images.data[i].pid == pid && u->images.data[i].modules)
			return modules_at(u->images.data[i].modules, pc);
	return NULL;
}

/*
 * The module that holds pc. If none does, but generated code, *generated is its function.
 * It may lie where a module was before.
 */
static struct module *find_code(const struct ustack *u,
				const struct ustack_place *place, taddr pc,
				const struct code_function **generated)
{
	uint64_t pid = place->pid;
	struct module *m = NULL;

	*generated = NULL;
	if (!pid && u->images.len == 1)
		pid = u->images.data[0].pid;
	if (place->time)
		m = find_former(u, pid, place->time, pc);
	if (!m)
		m = find_present(u, pid, pc);
	if (!m && u->jit && (*generated = jit_at(u->jit, pid, pc.v)))
		return NULL;
	if (!m)
		m = find_former(u, pid, 0, pc);
	if (m)
		patient_load_symbols(m);
	return m;
}

static struct module *find_module(const struct ustack *u,
				  const struct ustack_place *place, taddr pc)
{
	const struct code_function *generated;

	return find_code(u, place, pc, &generated);
}

/* ---- text ---- */

enum detail {
	DETAIL_MODULE,
	DETAIL_SYMBOL,
	DETAIL_OFFSET,
};

/* An address, and how to look it up. */
struct location {
	struct ustack_place place;
	uint64_t pc;
	/*
	 * It is a return address. The call may be the last instruction of its
	 * function.
	 */
	bool is_return;
	bool is_frame; /* of a stack: code, never a variable */
	bool is_kernel;
};

static void add_offset(struct strbuf *text, uint64_t offset)
{
	if (offset)
		strbuf_printf(text, "+0x%" PRIx64, offset);
}

/*
 * The name of a symbol at pc, and the offset in it. A function's .cold part lies
 * elsewhere, with its own offsets.
 */
static void name_symbol(struct ustack *u, const struct module *m,
			struct ustack_frame *f, const struct symbol *s)
{
	const char *readable = u->demangles ? symbol_demangled(m, s) : NULL;
	uint64_t value = f->address - m->bias;

	f->function = readable ? readable : s->name;
	f->offset = value - s->value;
	if (f->offset <= s->size)
		return;
	f->offset = 0;
	for (uint32_t i = 0; i < s->nparts; i++) {
		const struct symbol_part *p = &m->parts[s->first_part + i];

		if (value - p->value > p->size)
			continue;
		strbuf_reset(&u->name);
		strbuf_printf(&u->name, "%s.cold", f->function);
		f->function = u->name.data;
		f->offset = value - p->value;
		return;
	}
}

/* Sets u->name to the name of the variable at the address. */
static bool variable_start(struct ustack *u, const struct module *m, taddr addr,
			   uint64_t *start)
{
	strbuf_reset(&u->name);
	return module_variable_at(m, addr, u->demangles, &u->name, start);
}

static void name_variable(struct ustack *u, const struct module *m,
			  struct ustack_frame *f)
{
	uint64_t start;

	if (!variable_start(u, m, taddr_of(f->address), &start))
		return;
	f->function = u->name.data;
	f->offset = f->address - m->bias - start;
}

static void name_generated(struct ustack_frame *f,
			   const struct code_function *generated, enum detail detail)
{
	f->module = USTACK_JIT;
	if (detail == DETAIL_MODULE)
		return;
	f->function = generated->name;
	f->offset = f->address - generated->start;
}

static struct ustack_frame kernel_frame(struct ustack *u, const struct location *at)
{
	struct ustack_frame f = {.address = at->pc, .is_return = at->is_return};
	struct kernel_name name;

	if (!u->kernel)
		u->kernel = kernel_names_new();
	if (!kernel_names_find(u->kernel, at->pc - at->is_return, &name))
		return f;
	f.module = name.module;
	f.function = name.function;
	f.offset = name.offset + at->is_return;
	return f;
}

static struct ustack_frame python_frame(const struct ustack *u, uint64_t word)
{
	const struct python_name name = python_names_find(u ? u->python : NULL, word);

	return (struct ustack_frame){.address = word,
				     .module = USTACK_PYTHON,
				     .function = name.function,
				     .file = name.file,
				     .line = name.line,
				     .is_python = true};
}

/* What is known of a location; the names are valid until the next call. */
static struct ustack_frame frame_at(struct ustack *u, const struct location *at,
				    enum detail detail)
{
	struct ustack_frame f = {.address = at->pc, .is_return = at->is_return};
	taddr looked_up = taddr_of(at->pc - at->is_return);
	const struct code_function *generated = NULL;
	const struct module *m =
		!u || u->is_raw ? NULL
				: find_code(u, &at->place, looked_up, &generated);
	const struct symbol *s;

	if (at->is_frame && python_is_frame(at->pc))
		return python_frame(u, at->pc);
	if (u && !u->is_raw && at->is_kernel)
		return kernel_frame(u, at);
	if (generated)
		name_generated(&f, generated, detail);
	if (!m)
		return f;
	f.module = m->name;
	f.object = m;
	if (detail == DETAIL_MODULE || !patient_load_is_usable(m))
		return f;
	s = module_at(m, looked_up);
	if (module_is_signal_return(m, taddr_of(at->pc)))
		f.function = "__restore_rt"; /* glibc's has no symbol */
	else if (s)
		name_symbol(u, m, &f, s);
	else if (!at->is_frame)
		name_variable(u, m, &f);
	return f;
}

static const struct strbuf *describe(struct ustack *u, const struct location *at,
				     enum detail detail)
{
	struct strbuf *text = &u->text;
	const struct ustack_frame f = frame_at(u, at, detail);

	strbuf_reset(text);
	if (f.is_python)
		python_name_add(text, f.function, f.file, f.line);
	else if (!f.module)
		strbuf_printf(text, "0x%" PRIx64, at->pc);
	else if (detail == DETAIL_MODULE)
		strbuf_puts(text, f.module);
	else if (f.function)
		strbuf_printf(text, "%s`%s", f.module, f.function);
	else
		strbuf_printf(text, "%s`0x%" PRIx64, f.module, at->pc);
	if (f.function && detail == DETAIL_OFFSET)
		add_offset(text, f.offset);
	return text;
}

static uint64_t word_at(const struct tuple_value *v, uint64_t i)
{
	return i < v->len / 8 ? bytes_load(v->bytes + i * 8, 8) : 0;
}

/* stack(), sym() and mod(). */
static bool is_of_kernel(const struct tuple_value *v)
{
	return v->field->show == SHOW_STACK || v->field->show == SHOW_SYM ||
	       v->field->show == SHOW_MOD;
}

bool ustack_is_stack(const struct tuple_value *v)
{
	return v->field->show >= SHOW_STACK && v->field->show <= SHOW_JSTACK;
}

/* Indent, and width of the text: to the right. */
struct layout {
	size_t indent, width;
};

/*
 * The code that a signal handler returns to. The frame that it interrupted is not at a
 * call.
 */
static bool is_after_signal(struct ustack *u, const struct ustack_place *place,
			    uint64_t pc)
{
	const struct module *m = find_module(u, place, taddr_of(pc));

	return m && patient_load_is_usable(m) &&
	       module_is_signal_return(m, taddr_of(pc));
}

/* The lines of a frame; 0: not known, or not wanted. */
static size_t places_of(struct ustack *u, const struct location *at,
			struct target_place out[TARGET_PLACES_MAX])
{
	taddr pc = taddr_of(at->pc - at->is_return);
	const struct module *m;

	if (u->is_raw || (!u->has_lines && !u->has_inlined))
		return 0;
	m = find_module(u, &at->place, pc);
	return m ? debug_files_places(&u->debug, m, pc, out) : 0;
}

/* " (file.c:12)", of a path without its directories. */
static void add_place(struct ustack *u, const struct target_place *p)
{
	const char *slash = p->file ? strrchr(p->file, '/') : NULL;
	const char *name = slash ? slash + 1 : p->file;

	if (!u->has_lines || !name || !p->line)
		return;
	strbuf_printf(&u->text, " (%s:%" PRIu64 ")", name, p->line);
}

/* Sets u->name to the name of a function that was inlined. */
static void name_inlined(struct ustack *u, const struct target_place *p)
{
	strbuf_reset(&u->name);
	if (u->demangles)
		symbol_add_readable(p->function, &u->name);
	else
		strbuf_puts(&u->name, p->function);
}

/* "prog`name [inlined]" */
static void describe_inlined(struct ustack *u, const struct location *at,
			     const struct target_place *p)
{
	const struct module *m =
		find_module(u, &at->place, taddr_of(at->pc - at->is_return));

	name_inlined(u, p);
	strbuf_reset(&u->text);
	strbuf_printf(&u->text, "%s`%s [inlined]", m ? m->name : "", u->name.data);
}

static void put_frame(struct ustack *u, struct out *o, struct layout layout)
{
	out_pad(o, ' ', layout.indent);
	out_name(o, u->text.data, u->text.len, layout.width, false);
	out_putc(o, '\n');
}

/* The frame, and before it those of the functions that were inlined there. */
static void print_frame(struct ustack *u, struct out *o, const struct location *at,
			struct layout layout)
{
	struct target_place places[TARGET_PLACES_MAX];
	size_t n = places_of(u, at, places), i = 0;

	for (; u->has_inlined && i + 1 < n; i++) {
		if (!places[i].function)
			continue;
		describe_inlined(u, at, &places[i]);
		add_place(u, &places[i]);
		put_frame(u, o, layout);
	}
	describe(u, at, DETAIL_OFFSET);
	if (n)
		add_place(u, &places[i]);
	put_frame(u, o, layout);
}

static void print_stack(struct ustack *u, struct out *o, const struct tuple_value *v,
			uint64_t time, struct layout layout)
{
	struct location at = {.place = {word_at(v, 0), time},
			      .is_frame = true,
			      .is_kernel = is_of_kernel(v)};

	out_putc(o, '\n');
	for (uint64_t i = 1; word_at(v, i); i++) {
		if (i > 1)
			at.is_return = !is_after_signal(u, &at.place, at.pc);
		at.pc = word_at(v, i);
		print_frame(u, o, &at, layout);
	}
}

static enum detail detail_of(const struct tuple_value *v)
{
	switch (v->field->show) {
	case SHOW_MOD:
	case SHOW_UMOD:
		return DETAIL_MODULE;
	case SHOW_SYM:
	case SHOW_USYM:
		return DETAIL_SYMBOL;
	default:
		return DETAIL_OFFSET;
	}
}

static const struct strbuf *describe_value(struct ustack *u,
					   const struct tuple_value *v, uint64_t time)
{
	const struct location at = {.place = {word_at(v, 0), time},
				    .pc = word_at(v, 1),
				    .is_kernel = is_of_kernel(v)};

	return describe(u, &at, detail_of(v));
}

const struct strbuf *ustack_name(struct ustack *u, const struct tuple_value *v,
				 uint64_t *first)
{
	const struct ustack_place place = {word_at(v, 0), 0};
	taddr pc = taddr_of(word_at(v, 1));
	const struct code_function *generated = NULL;
	const struct module *m =
		u->is_raw ? NULL : find_code(u, &place, pc, &generated);
	const struct symbol *s;
	uint64_t value;

	*first = pc.v;
	if (generated && detail_of(v) != DETAIL_MODULE)
		*first = generated->start;
	else if (m && detail_of(v) == DETAIL_MODULE)
		*first = m->lo.v;
	else if (m && !patient_load_is_usable(m))
		*first = pc.v;
	else if (m && (s = module_at(m, pc)))
		*first = module_address(m, s->value).v;
	else if (m && variable_start(u, m, pc, &value))
		*first = module_address(m, value).v;
	return describe_value(u, v, 0);
}

/* Who takes the frames of a stack. */
struct taker {
	void (*each)(void *ctx, const struct ustack_frame *f);
	void *ctx;
};

static void set_place(const struct ustack *u, struct ustack_frame *f,
		      const struct target_place *p)
{
	f->file = u->has_lines ? p->file : NULL;
	f->line = f->file ? p->line : 0;
}

/* A frame, and before it those of the functions that were inlined there. */
static void give_frame(struct ustack *u, const struct location *at,
		       const struct taker *to)
{
	struct target_place places[TARGET_PLACES_MAX];
	size_t n = u ? places_of(u, at, places) : 0, i = 0;
	struct ustack_frame f = frame_at(u, at, DETAIL_OFFSET), inlined = f;

	inlined.is_inlined = true;
	inlined.offset = 0;
	for (; n && u->has_inlined && i + 1 < n; i++) {
		if (!places[i].function)
			continue;
		name_inlined(u, &places[i]);
		inlined.function = u->name.data;
		set_place(u, &inlined, &places[i]);
		to->each(to->ctx, &inlined);
	}
	if (i) /* its name may have been where those of inlined ones were */
		f = frame_at(u, at, DETAIL_OFFSET);
	if (n)
		set_place(u, &f, &places[i]);
	to->each(to->ctx, &f);
}

static void each_frame(struct ustack *u, const struct tuple_value *v, uint64_t time,
		       const struct taker *to)
{
	struct location at = {.place = {word_at(v, 0), time},
			      .is_frame = true,
			      .is_kernel = is_of_kernel(v)};

	for (uint64_t i = 1; word_at(v, i); i++) {
		if (i > 1)
			at.is_return = !u || !is_after_signal(u, &at.place, at.pc);
		at.pc = word_at(v, i);
		give_frame(u, &at, to);
	}
}

void ustack_each(struct ustack *u, const struct tuple_value *v, uint64_t time,
		 void (*each)(void *ctx, const struct ustack_frame *f), void *ctx)
{
	const struct location at = {.place = {word_at(v, 0), time},
				    .pc = word_at(v, 1),
				    .is_kernel = is_of_kernel(v)};
	struct ustack_frame f = {.address = at.pc};

	if (ustack_is_stack(v)) {
		each_frame(u, v, time, &(struct taker){each, ctx});
		return;
	}
	/* Kernel addresses have no names here. */
	if (v->field->show != SHOW_SYM && v->field->show != SHOW_MOD)
		f = frame_at(u, &at, detail_of(v));
	each(ctx, &f);
}

/* Frame i of a stack, from 1 on, the innermost. */
static struct location location_of(struct ustack *u, const struct tuple_value *v,
				   uint64_t time, uint64_t i)
{
	struct location at = {.place = {word_at(v, 0), time},
			      .pc = word_at(v, i),
			      .is_frame = true,
			      .is_kernel = is_of_kernel(v)};

	at.is_return = i > 1 && !is_after_signal(u, &at.place, word_at(v, i - 1));
	return at;
}

/* A frame, and the functions that were inlined there, outermost first. */
static void fold_frame(struct ustack *u, const struct location *at, struct strbuf *to)
{
	struct target_place places[TARGET_PLACES_MAX];
	size_t n = u->has_inlined ? places_of(u, at, places) : 0;
	const struct strbuf *text = describe(u, at, DETAIL_SYMBOL);

	text_add_frame(to, text->data, text->len);
	for (size_t i = n ? n - 1 : 0; i-- > 0;) {
		if (!places[i].function)
			continue;
		describe_inlined(u, at, &places[i]);
		strbuf_putc(to, ';');
		text_add_frame(to, u->text.data, u->text.len);
	}
}

void ustack_fold(struct ustack *u, const struct tuple_value *v, uint64_t time,
		 struct strbuf *to)
{
	const struct strbuf *text;
	uint64_t n = 0;

	if (!ustack_is_stack(v)) {
		text = describe_value(u, v, time);
		text_add_frame(to, text->data, text->len);
		return;
	}
	while (word_at(v, n + 1))
		n++;
	if (!n)
		strbuf_puts(to, "[no stack]");
	for (uint64_t i = n; i; i--) {
		const struct location at = location_of(u, v, time, i);

		fold_frame(u, &at, to);
		if (i > 1)
			strbuf_putc(to, ';');
	}
}

bool ustack_is_folded(const struct ustack *u)
{
	return u->is_folded;
}

static void print_folded(struct ustack *u, struct out *o, const struct tuple_value *v,
			 uint64_t time)
{
	strbuf_reset(&u->line);
	ustack_fold(u, v, time, &u->line);
	out_write(o, u->line.data, u->line.len);
}

void ustack_print(struct ustack *u, struct out *o, const struct tuple_value *v,
		  uint64_t time, const struct options *opt)
{
	const struct strbuf *text;

	if (ustack_is_stack(v) && u->is_folded) {
		print_folded(u, o, v, time);
		return;
	}
	if (ustack_is_stack(v)) {
		print_stack(u, o, v, time, (struct layout){opt->stackindent, 0});
		return;
	}
	text = describe_value(u, v, time);
	out_pad(o, ' ', 2);
	out_name(o, text->data, text->len, SYMBOL_WIDTH, true);
}

static void format_stack(struct ustack *u, struct out *o,
			 const struct format_item *item, const struct tuple_value *v,
			 uint64_t time)
{
	struct layout layout = {0, item->width};

	if (u->is_folded) {
		print_folded(u, o, v, time);
		return;
	}
	if (item->flags & FORMAT_LEFT)
		layout = (struct layout){item->width, 0};
	print_stack(u, o, v, time, layout);
}

void ustack_format(struct ustack *u, struct out *o, const struct format_item *item,
		   const struct tuple_value *v, const struct ustack_place *place)
{
	/* the upper half of the addresses is the kernel's */
	const struct location at = {
		.place = *place, .pc = v->number, .is_kernel = v->number >> 63 != 0};
	const struct strbuf *text;
	size_t n;

	if (ustack_is_stack(v)) {
		format_stack(u, o, item, v, place->time);
		return;
	}
	text = program_is_location(v->field) ? describe_value(u, v, place->time)
					     : describe(u, &at, DETAIL_OFFSET);
	n = text->len;
	if (item->precision && item->precision < n)
		n = item->precision;
	out_name(o, text->data, n, item->width, item->flags & FORMAT_LEFT);
}
