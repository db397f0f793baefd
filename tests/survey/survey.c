/* SPDX-License-Identifier: MIT */
/*
 * Plans the entry of every function of every ELF file it is given, alone and together
 * with every way out of it, without a process and without writing anything:
 *
 *	survey [-v] FILE|DIRECTORY...
 *
 * Of a directory, the shared objects and the programs larger than 1 MB. Prints
 * a line a file and a line a reason; -v also names the functions that take no
 * jump. Fails when a function is neither planned nor refused with a reason, when a
 * plan cannot be turned into a stub, or when one of the well-known files below
 * takes fewer jumps than it should.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "disasm/disasm.h"
#include "hook/hook.h"
#include "hook/target.h"
#include "hook/trampoline.h"
#include "symbols/symbols.h"
#include "tracer/view.h"
#include "vm/base/host/map.h"
#include "vm/base/host/vec.h"
#include "vm/base/status.h"

#define PROGRAM_BYTES (1 << 20)
/* Entries and exits by jump, in hundredths of a percent, of the files named here. */
#define LEAST_SHARE	 9800
#define LEAST_EXIT_SHARE 8500
#define FUNCTION_MAX	 (1u << 22)

static const char *const well_known[] = {
	"libc.so.", "libstdc++.so.", "libcrypto.so.", "python3.", "node", "libLLVM",
};

struct tally {
	size_t functions, by_call, by_jump, padded;
	size_t exits, exits_by_jump;
	size_t hooks; /* of entries and exits together */
	size_t stub_bytes;
	size_t by_reason[HOOK_REASON_COUNT];
	size_t faults; /* functions without a sound answer */
};

struct survey {
	struct tally total;
	size_t files, skipped, failures;
	bool is_verbose;
	struct map seen; /* inode numbers */
};

/* Whether the plan says what hook.h promises. */
static bool is_sound(const struct hook_plan *plan)
{
	bool is_jump = hook_plan_is_jump(plan);

	if (plan->reason >= HOOK_REASON_COUNT || is_jump != (plan->reason == 0))
		return false;
	if (!is_jump)
		return hook_reason_can_break(plan->reason) ==
		       (plan->tactic == HOOK_BREAKPOINT);
	return plan->covered >= hook_plan_patched(plan) && plan->covered <= HOOK_COVERED_MAX &&
	       plan->nsites > 0 && plan->nsites <= HOOK_SITES_MAX &&
	       (plan->tactic == HOOK_CALL || plan->ninsns > 0);
}

/*
 * Whether a stub right below the module does it: every moved instruction has a
 * point that leads back to it, and the stub ends where control cannot run on.
 */
static bool can_build(const struct module *m, struct hook_plan *plan, struct tally *t)
{
	struct stub_request req = {.plan = plan, .gate = {0x10000, 0, 8}, .site = 7};
	struct stub stub;
	int err;

	req.switch_word = taddr_add(m->lo, -0x20000); /* below 0 it wraps */
	req.stub = taddr_add(m->lo, -0x10000);
	err = stub_build(&req, &stub);
	if (err == STATUS_RANGE) {
		plan->tactic = HOOK_BREAKPOINT;
		plan->reason = HOOK_REASON_OUT_OF_REACH;
		return true;
	}
	t->stub_bytes += stub.n;
	for (uint32_t i = 0; !err && i < plan->nsites; i++)
		err = !stub_point_at(&stub, stub.heads[i] + STUB_TAIL);
	return !err;
}

static void count(struct tally *t, const struct hook_plan *plan)
{
	t->functions++;
	t->by_reason[plan->reason]++;
	t->by_call += plan->tactic == HOOK_CALL;
	t->by_jump += plan->tactic == HOOK_JMP;
	t->padded += plan->padding > 0;
}

struct file {
	const struct module *module;
	const struct view *view;
	struct hook_boards *boards;
	struct tally tally;
};

/* One function whose entry and exits are planned together. */
struct whole {
	struct file *file;
	struct {
		struct hook_want *data;
		size_t len, cap;
	} wants;
	uint64_t floor; /* no plan may reach below the one before */
	bool is_faulty;
};

static void want_exit(void *ctx, const struct scan_site *site, const struct insn *in)
{
	struct whole *w = ctx;

	if (!site->is_exit && !site->is_maybe)
		return;
	w->file->tally.exits++;
	if (w->wants.data[w->wants.len - 1].pc.v == in->addr.v)
		w->wants.data[w->wants.len - 1].is_exit = true;
	else
		*vec_push(&w->wants) =
			(struct hook_want){.pc = in->addr, .is_exit = true};
}

static void take_plan(void *ctx, const struct hook_plan *plan, size_t first, size_t n)
{
	struct whole *w = ctx;
	struct hook_plan p = *plan;
	struct tally *t = &w->file->tally;

	w->is_faulty |= !is_sound(&p) ||
			(!p.reason &&
			 (p.patch.v < w->floor || !can_build(w->file->module, &p, t)));
	w->floor = p.patch.v + p.covered;
	if (p.reason)
		return;
	t->hooks++;
	for (size_t i = first; i < first + n; i++)
		t->exits_by_jump += w->wants.data[i].is_exit;
}

/* The file's bytes of the function, NULL when it has not all of them. */
static const uint8_t *code_of(const struct file *f, struct hook_range r)
{
	const struct hook_module *m = &f->view->module;

	for (size_t i = 0; i < m->ncode; i++)
		if (r.lo.v >= m->code[i].lo.v &&
		    r.hi.v <= m->code[i].lo.v + m->code[i].n)
			return m->code[i].data + (r.lo.v - m->code[i].lo.v);
	return NULL;
}

/* False: some plan is not sound. */
static bool survey_whole(struct file *f, struct hook_range r)
{
	struct whole w = {.file = f};
	struct hook_function function = {
		.lo = r.lo,
		.hi = r.hi,
		.boards = f->boards,
		.plan = take_plan,
		.ctx = &w};
	struct code_range range = {r.lo, r.hi};
	struct scan_request req = {
		code_of(f, r), r.hi.v - r.lo.v, &range, 1, want_exit, &w};
	uint32_t bad;

	if (!req.bytes || req.n > FUNCTION_MAX)
		return true;
	*vec_push(&w.wants) = (struct hook_want){.pc = r.lo, .is_before = true};
	scan_function(&req, &bad);
	function.wants = w.wants.data;
	function.nwants = w.wants.len;
	hook_plan_function(&f->view->module, f->view->branches, &function);
	vec_release(&w.wants);
	return !w.is_faulty;
}

static void survey_function(const struct survey *s, struct file *f,
			    const struct symbol *symbol)
{
	struct hook_range r = {taddr_of(symbol->value),
			       taddr_of(symbol->value + symbol->size)};
	struct hook_entry entry = {.lo = r.lo, .hi = r.hi};
	struct hook_plan plan;
	struct tally ignored = {0};

	hook_plan_entry(&f->view->module, f->view->branches, &entry, &plan);
	if (!is_sound(&plan) ||
	    (!plan.reason && !can_build(f->module, &plan, &ignored)) ||
	    !survey_whole(f, r)) {
		printf("FAILED %s: tactic %d, reason %d\n", symbol->name,
		       (int)plan.tactic, (int)plan.reason);
		f->tally.faults++;
		return;
	}
	count(&f->tally, &plan);
	if (s->is_verbose && plan.reason)
		printf("\t%s (%llx): %s\n", symbol->name,
		       (unsigned long long)symbol->value,
		       hook_reason_text(plan.reason));
}

static void add_tally(struct tally *to, const struct tally *t)
{
	to->functions += t->functions;
	to->by_call += t->by_call;
	to->by_jump += t->by_jump;
	to->padded += t->padded;
	to->exits += t->exits;
	to->exits_by_jump += t->exits_by_jump;
	to->hooks += t->hooks;
	to->stub_bytes += t->stub_bytes;
	to->faults += t->faults;
	for (size_t i = 0; i < HOOK_REASON_COUNT; i++)
		to->by_reason[i] += t->by_reason[i];
}

/* Hundredths of a percent. */
static size_t share(const struct tally *t)
{
	return t->functions ? (t->by_call + t->by_jump) * 10000 / t->functions : 10000;
}

static size_t exit_share(const struct tally *t)
{
	return t->exits ? t->exits_by_jump * 10000 / t->exits : 10000;
}

static void print_line(const char *name, const struct tally *t)
{
	size_t refused = 0;

	for (size_t i = 0; i < HOOK_REASON_COUNT; i++)
		refused += hook_reason_can_break((enum hook_reason)i) ? 0
								      : t->by_reason[i];
	printf("%-36.36s %8zu %6zu %8zu %7zu %7zu %7zu %4zu.%02zu%% %8zu "
	       "%4zu.%02zu%%\n",
	       name, t->functions, t->by_call, t->by_jump, t->padded,
	       t->functions - t->by_call - t->by_jump - refused, refused,
	       share(t) / 100, share(t) % 100, t->exits, exit_share(t) / 100,
	       exit_share(t) % 100);
}

static bool is_well_known(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(well_known); i++) {
		if (strncmp(name, well_known[i], strlen(well_known[i])) == 0)
			return true;
	}
	return false;
}

static void finish_file(struct survey *s, const struct file *f)
{
	const char *name = f->module->name;

	print_line(name, &f->tally);
	if (is_well_known(name) && (share(&f->tally) < LEAST_SHARE ||
				    exit_share(&f->tally) < LEAST_EXIT_SHARE)) {
		printf("FAILED %s: jumps at fewer than %d%% of its entries or %d%% of "
		       "its exits\n",
		       name, LEAST_SHARE / 100, LEAST_EXIT_SHARE / 100);
		s->failures++;
	}
	s->failures += f->tally.faults;
	s->files++;
	add_tally(&s->total, &f->tally);
}

static void survey_module(struct survey *s, const struct module *m,
			  const struct view *view)
{
	struct file f = {.module = m, .view = view, .boards = hook_boards_new()};

	for (size_t i = 0; i < m->nsymbols; i++) {
		bool is_alias = i && m->symbols[i].value == m->symbols[i - 1].value;

		if (!is_alias && !m->symbols[i].is_fragment)
			survey_function(s, &f, &m->symbols[i]);
	}
	finish_file(s, &f);
	hook_boards_free(f.boards);
}

/* Files that are no ELF programs are passed over; what is, must be readable. */
static void survey_file(struct survey *s, const char *path)
{
	struct program_file kind;
	struct module *m;
	struct view *view;
	struct err e;
	int status = program_file_read(path, &kind, &e);

	if (status || !kind.is_elf || !kind.is_64bit || !kind.is_x86_64) {
		s->skipped++;
		return;
	}
	status = module_read_file(path, 0, &m, &e);
	if (!status)
		status = module_load_symbols(m, &e);
	if (!status)
		status = view_new(m, &view, &e);
	if (status) {
		printf("FAILED %s: %s\n", path, e.text);
		s->failures++;
		return;
	}
	survey_module(s, m, view);
	view_free(view);
	module_free(m);
}

static void survey_path(struct survey *s, const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
	    map_get(&s->seen, st.st_ino, NULL))
		return;
	map_set(&s->seen, st.st_ino, 1);
	survey_file(s, path);
}

static bool is_wanted(const char *path, const char *name)
{
	struct stat st;

	if (strstr(name, ".so"))
		return true;
	return stat(path, &st) == 0 && (st.st_mode & S_IXUSR) &&
	       st.st_size >= PROGRAM_BYTES;
}

static void survey_directory(struct survey *s, const char *path)
{
	struct dirent **entries;
	char name[4096];
	int n = scandir(path, &entries, NULL, alphasort);

	if (n < 0) {
		survey_path(s, path);
		return;
	}
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
		if (is_wanted(name, entries[i]->d_name))
			survey_path(s, name);
		free(entries[i]);
	}
	free(entries);
}

static void print_reasons(const struct tally *t)
{
	for (size_t i = 1; i < HOOK_REASON_COUNT; i++) {
		if (t->by_reason[i])
			printf("%10zu  %s: %s\n", t->by_reason[i],
			       hook_reason_can_break((enum hook_reason)i) ? "breakpoint"
									  : "refused",
			       hook_reason_text((enum hook_reason)i));
	}
}

int main(int argc, char **argv)
{
	struct survey s = {.is_verbose = argc > 1 && strcmp(argv[1], "-v") == 0};

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("%-36s %8s %6s %8s %7s %7s %7s %8s %8s %8s\n", "file", "entries", "call",
	       "jump", "padded", "break", "refused", "share", "exits", "share");
	for (int i = s.is_verbose ? 2 : 1; i < argc; i++)
		survey_directory(&s, argv[i]);
	print_line("all", &s.total);
	print_reasons(&s.total);
	printf("%zu files, %zu passed over, %zu bytes of stub a hook, %zu failures\n",
	       s.files, s.skipped,
	       s.total.hooks ? s.total.stub_bytes / s.total.hooks : 0, s.failures);
	map_release(&s.seen);
	return s.failures || !s.files;
}
