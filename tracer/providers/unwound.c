/* SPDX-License-Identifier: MIT */
/*
 * The instructions are found by their bytes. Most systems strip the names of those
 * functions of the C library that no other file calls, and of programs that have libgcc
 * in them.
 */
#include "tracer/providers/unwound.h"
#include "disasm/disasm.h"
#include "tracer/output/out.h"
#include "tracer/targets/objects.h"
#include "tracer/targets/pending_sites.h"
#include "tracer/targets/site_batch.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WINDOW	    (1u << 20)
#define PAGE	    4096u
#define PATTERN_MAX 32
#define RSP	    4 /* in instructions */
#define RBP	    5
#define LONGJMP_MAX 64 /* bytes of the function in musl */

bool unwound_is_name(const char *name)
{
	return strcmp(name, UNWOUND_NAME) == 0;
}

void unwound_add(struct target *target, const struct unwound_function *f)
{
	for (size_t i = 0; i < f->nranges; i++)
		*vec_push(&target->frames) = (struct keeper_frame){
			.range = f->ranges[i], .function = f->lo, .probe = f->probe};
	target->are_frames_sent = false;
}

/* ---- where frames are left ---- */

/* One object. */
struct text {
	struct tracer *t;
	struct target *target;
	const struct module *m;
	bool has_caught, has_longjmp;
	const struct symbol *inline_jump; /* a function with one that is not seen */
};

static void add_site(const struct text *x, taddr addr, enum keeper_leave how)
{
	const struct pending_site site = {
		.kind = KEEPER_SITE_HOLD, .addr = addr, .arg0 = (uint32_t)how};

	pending_sites_add(x->target, &site);
}

static enum keeper_leave kind_of(const char *name)
{
	if (strcmp(name, "_Unwind_Resume") == 0)
		return KEEPER_LEAVE_RESUME;
	return strcmp(name, "_Unwind_ForcedUnwind") == 0 ? KEEPER_LEAVE_FORCED
							 : KEEPER_LEAVE_RAISE;
}

/* The end of a function with __builtin_eh_return() of gcc. */
static void found_caught(struct text *x, taddr addr, bool is_sure)
{
	const struct symbol *sym = module_at(x->m, addr);

	if (!sym || (!is_sure && strncmp(sym->name, "_Unwind_", 8) != 0))
		return;
	x->has_caught = true;
	add_site(x, module_address(x->m, sym->value), kind_of(sym->name));
	add_site(x, addr, KEEPER_LEAVE_CAUGHT);
}

/* mov %rcx,%rsp; pop %rcx; jmp *%rcx */
static void found_jump(struct text *x, taddr addr)
{
	found_caught(x, addr, true);
}

/* mov %rcx,%rsp; ret: fewer bytes, which other code may have */
static void found_ret(struct text *x, taddr addr)
{
	found_caught(x, addr, false);
}

static void found_registers(struct text *x, taddr addr)
{
	x->has_caught = true;
	add_site(x, addr, KEEPER_LEAVE_REGISTERS);
}

static void found_longjmp(struct text *x, taddr addr)
{
	x->has_longjmp = true;
	add_site(x, addr, KEEPER_LEAVE_LONGJMP);
}

static const struct pattern {
	const char *bytes;
	size_t n;
	void (*found)(struct text *x, taddr addr);
} patterns[] = {
	{"\x48\x89\xcc\x59\xff\xe1", 6, found_jump},
	{"\x48\x89\xcc\xc3", 4, found_ret},
	/* libunwind of LLVM, Registers_x86_64::jumpto(): mov 0x38(%rdi),%rax;
	 * sub $0x10,%rax; mov %rax,0x38(%rdi); mov 0x20(%rdi),%rbx */
	{"\x48\x8b\x47\x38\x48\x83\xe8\x10\x48\x89\x47\x38\x48\x8b\x5f\x20", 16,
	 found_registers},
	/* glibc, __longjmp: mov 0x30(%rdi),%r8; mov 8(%rdi),%r9; mov 0x38(%rdi),%rdx;
	 * ror $0x11,%r8; then the guard is taken away, which the loader has elsewhere */
	{"\x4c\x8b\x47\x30\x4c\x8b\x4f\x08\x48\x8b\x57\x38\x49\xc1\xc8\x11", 16,
	 found_longjmp},
};

/* The bytes of mov MEMORY,%rsp or %rbp, by the register's number; 0: it is none. */
static size_t load_length(const uint8_t *p, size_t n, unsigned reg)
{
	unsigned mod, rm;
	size_t length = 3;

	if (n < 8 || (p[0] & 0xfc) != 0x48 || p[1] != 0x8b || (p[2] >> 3 & 7) != reg)
		return 0;
	mod = p[2] >> 6;
	rm = p[2] & 7;
	if (mod == 3)
		return 0;
	if (rm == 4)
		rm = p[length++] & 7;
	if (mod == 2 || (mod == 0 && rm == 5))
		length += 4;
	return length + (mod == 1);
}

/*
 * What gcc and clang make of __builtin_longjmp(): mov MEMORY,%rsp; perhaps a mov to %rbp;
 * jmp *%REGISTER.
 */
static bool is_inline_jump(const uint8_t *p, size_t n)
{
	size_t at = load_length(p, n, RSP), more;

	if (!at)
		return false;
	more = load_length(p + at, n - at, RBP);
	if (!more && n - at > 5 && (p[at] & 0xfb) == 0x48 && p[at + 1] == 0x89 &&
	    (p[at + 2] & 0xc7) == 0xc5)
		more = 3;
	at += more;
	if (n - at < 3)
		return false;
	at += p[at] == 0x41;
	return p[at] == 0xff && (p[at + 1] & 0xf8) == 0xe0;
}

/* ---- loads before an inline jump ---- */

#define FUNCTION_MAX (256u << 10)

/* The register that mov MEMORY,%REGISTER of 64 bits loads; else INSN_NO_REG. */
static unsigned loaded_by(const struct insn *in)
{
	const uint8_t *b = in->bytes;
	bool is_load = in->has_mem && (b[0] & 0xf8) == 0x48 && b[1] == 0x8b;

	return is_load ? (b[0] & 4u) << 1 | (b[2] >> 3 & 7) : INSN_NO_REG;
}

static bool uses_rbp(const struct insn *in)
{
	return in->mem.base == RBP || in->mem.index == RBP;
}

/*
 * Where the loads begin, of which the one of rsp is `at`: before rbp is loaded, which
 * must be next to it or but for one other load. last: the two instructions before it,
 * the nearer one first. 0: it is not known.
 */
static taddr begin_of_loads(const struct insn *at, const struct insn *next,
			    const struct insn last[2])
{
	const taddr none = {0};
	unsigned before = loaded_by(&last[0]);

	if (next->kind != INSN_JMP_INDIRECT)
		return at->addr; /* rbp is loaded after it */
	if (uses_rbp(at))
		return none;
	if (before == RBP)
		return last[0].addr;
	if (before == INSN_NO_REG || before == RSP || uses_rbp(&last[0]) ||
	    loaded_by(&last[1]) != RBP)
		return none;
	return last[1].addr;
}

/*
 * Goes through a function up to the load of rsp: where the loads begin, or 0. *is_none:
 * these bytes are not an instruction of it.
 */
static taddr find_loads(const uint8_t *code, struct addr_range r, taddr load,
			bool *is_none)
{
	const size_t n = r.hi.v - r.lo.v;
	struct insn in, next, last[2] = {{.len = 0}, {.len = 0}};

	*is_none = false;
	for (size_t i = 0; i < n; i += in.len) {
		if (decode(code + i, n - i, taddr_add(r.lo, (int64_t)i), &in))
			break;
		*is_none = in.addr.v < load.v && load.v < in.addr.v + in.len;
		if (*is_none)
			break;
		if (in.addr.v == load.v)
			return decode(code + i + in.len, n - i - in.len,
				      taddr_add(load, in.len), &next)
				       ? taddr_of(0)
				       : begin_of_loads(&in, &next, last);
		last[1] = last[0];
		last[0] = in;
	}
	return taddr_of(0);
}

/* The part of the function that holds the address. */
static struct addr_range part_at(const struct module *m, const struct symbol *sym,
				 taddr at)
{
	struct addr_range r = {module_address(m, sym->value),
			       module_address(m, sym->value + sym->size)};

	for (uint32_t i = 0; i < sym->nparts && !addr_range_holds(&r, at); i++) {
		const struct symbol_part *p = &m->parts[sym->first_part + i];

		r.lo = module_address(m, p->value);
		r.hi = module_address(m, p->value + p->size);
	}
	return r;
}

/* Sets the site; or notes the function, if it is not known where. */
static void found_inline_jump(struct text *x, taddr load)
{
	const struct symbol *sym = module_at(x->m, load);
	bool is_none = false;
	struct addr_range r;
	taddr site = {0};
	uint8_t *code;
	size_t n;

	if (!sym)
		return;
	r = part_at(x->m, sym, load);
	n = min_u64(r.hi.v - r.lo.v, FUNCTION_MAX);
	code = oom_calloc(1, n + 1);
	if (addr_range_holds(&r, load) && n < FUNCTION_MAX &&
	    target_read(x->target, r.lo, code, n) == 0)
		site = find_loads(code, r, load, &is_none);
	free(code);
	if (site.v)
		add_site(x, site, KEEPER_LEAVE_LOADS);
	else if (!is_none && !x->inline_jump)
		x->inline_jump = sym;
}

static void search_inline_jumps(struct text *x, taddr at, const uint8_t *bytes,
				size_t n)
{
	const uint8_t *p = bytes;

	while ((p = memchr(p + 1, 0x8b, n - (size_t)(p + 1 - bytes))))
		if (is_inline_jump(p - 1, n - (size_t)(p - 1 - bytes)))
			found_inline_jump(x, taddr_add(at, p - 1 - bytes));
}

static void search_window(struct text *x, taddr at, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		const struct pattern *p = &patterns[i];
		const uint8_t *hit = bytes;

		while ((hit = memmem(hit, n - (size_t)(hit - bytes), p->bytes, p->n))) {
			p->found(x, taddr_add(at, hit - bytes));
			hit++;
		}
	}
	search_inline_jumps(x, at, bytes, n);
}

/*
 * From the first function of the object to the page with the end of the last one: code in
 * assembly may come after it that no table names.
 */
static struct addr_range text_of(const struct module *m)
{
	struct addr_range r = {taddr_of(0), taddr_of(0)};

	if (m->nsymbols)
		r.lo = r.hi = module_address(m, m->symbols[0].value);
	for (size_t i = 0; i < m->nsymbols; i++) {
		taddr end = module_address(m, m->symbols[i].value + m->symbols[i].size);

		if (end.v > r.hi.v && end.v <= m->hi.v)
			r.hi = end;
	}
	r.hi.v = min_u64(align_up(r.hi.v, PAGE), m->hi.v);
	return r;
}

static void search(struct text *x)
{
	const struct addr_range r = text_of(x->m);
	uint8_t *bytes = oom_realloc(NULL, WINDOW);

	for (uint64_t at = r.lo.v; at < r.hi.v && !tracer_is_interrupted(x->t);
	     at += WINDOW - PATTERN_MAX) {
		size_t n = min_u64(r.hi.v - at, WINDOW);

		if (target_read(x->target, taddr_of(at), bytes, n) == 0)
			search_window(x, taddr_of(at), bytes, n);
	}
	free(bytes);
}

/* The function of musl, which ends with jmp *0x38(%rdi). Its symbol has no size. */
static void look_at_longjmp(struct text *x, taddr at)
{
	static const uint8_t jump[] = {0xff, 0x67, 0x38};
	uint8_t bytes[LONGJMP_MAX];

	if (target_read(x->target, at, bytes, sizeof(bytes)) ||
	    !memmem(bytes, sizeof(bytes), jump, sizeof(jump)))
		return;
	x->has_longjmp = true;
	add_site(x, at, KEEPER_LEAVE_LONGJMP_PLAIN);
}

static void report_unknown(const struct text *x, const char *what)
{
	out_notice(x->t->out,
		   "pid %d: '%s' has its own way of %s: frames that are left by it do "
		   "not fire unwound",
		   x->target->pid, x->m->name, what);
}

static void report_inline_jump(const struct text *x)
{
	out_notice(x->t->out,
		   "pid %d: '%s' has a longjmp() without a call in %s(): frames that "
		   "are left by it do not fire unwound",
		   x->target->pid, x->m->name, x->inline_jump->name);
}

static void watch(struct text *x)
{
	taddr longjmp;
	bool is_there = !module_lookup_any(x->m, "longjmp", &longjmp);

	search(x);
	if (is_there && !x->has_longjmp)
		look_at_longjmp(x, longjmp);
	if (is_there && !x->has_longjmp)
		report_unknown(x, "longjmp()");
	if (module_find(x->m, "_Unwind_RaiseException") && !x->has_caught)
		report_unknown(x, "exceptions");
	if (x->inline_jump)
		report_inline_jump(x);
}

void unwound_watch(struct tracer *t, struct target *target, struct module *m)
{
	struct text x = {.t = t, .target = target, .m = m};

	if (t->is_listing || m->is_vdso || m->is_part ||
	    map_get(&target->watched, m->lo.v, NULL))
		return;
	t->wants_frames = true;
	map_set(&target->watched, m->lo.v, 1);
	if (!objects_have_symbols(t, m))
		return;
	watch(&x);
}

void unwound_watch_all(struct tracer *t, struct target *target)
{
	for (size_t i = 0; i < target->modules->len && !tracer_is_interrupted(t); i++)
		unwound_watch(t, target, target->modules->data[i]);
}

/* ---- the keeper's list ---- */

static int compare_frames(const void *a, const void *b)
{
	const struct keeper_frame *x = a, *y = b;

	if (x->range.lo.v != y->range.lo.v)
		return x->range.lo.v < y->range.lo.v ? -1 : 1;
	return (x->probe > y->probe) - (x->probe < y->probe);
}

/* Several descriptions may have added a function to one probe. */
static void drop_copies(struct target *target)
{
	struct keeper_frame *f = target->frames.data;
	size_t n = 0;

	if (target->frames.len)
		qsort(f, target->frames.len, sizeof(*f), compare_frames);
	for (size_t i = 0; i < target->frames.len; i++)
		if (!n || compare_frames(&f[n - 1], &f[i]) != 0)
			f[n++] = f[i];
	target->frames.len = n;
}

static int send_frames(struct tracer *t, const struct target *target, struct err *e)
{
	struct link_request req = {
		.msg = {.type = KEEPER_REQ_FRAMES, .pid = target->pid}, .nfds = 1};
	size_t n = target->frames.len;
	struct keeper_frame *list = oom_calloc(n + 1, sizeof(*list));
	int rc;

	memcpy(list, target->frames.data, n * sizeof(*list));
	for (size_t i = 0; i < n; i++)
		list[i].probe--; /* an index from here on */
	req.msg.memory.bytes = n * sizeof(*list);
	req.fds[0] = link_memfd(list, req.msg.memory.bytes);
	free(list);
	if (req.fds[0] < 0)
		return err_errno(e, STATUS_NOMEM, "cannot make the list of frames");
	rc = link_call(&t->link, &req, NULL, NULL, e);
	close(req.fds[0]);
	return rc;
}

void unwound_send(struct tracer *t, struct target *target)
{
	struct err e;

	if (target->are_frames_sent || !target->frames.len)
		return;
	drop_copies(target);
	target->are_frames_sent = true;
	if (send_frames(t, target, &e))
		site_batch_report(t, target, &e);
}
