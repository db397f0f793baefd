/* SPDX-License-Identifier: MIT */
/*
 * Plans the entry of every function of every ELF file it is given, alone and together
 * with every way out of it, without a process and without writing anything:
 *
 *	survey [-v] FILE|DIRECTORY...
 *
 * Of a directory, the shared objects and the programs larger than 1 MB. Prints
 * a line a file, with a digest of its plans, and a line a reason; -v also the sites
 * that take no jump. Then plans some functions of each file again, with what is known if
 * only what leads to them is looked for (SURVEY_GROUPS=N: so many times so many, default
 * 1). Fails when a function is neither planned nor refused with a reason, when a
 * plan cannot be turned into a stub, when one of the well-known files below takes fewer
 * jumps than it should, when decode_brief() and decode_quick() disagree about any
 * byte of code, or when the search for a few functions misses what the one for all
 * finds, or finds much more.
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
#include "tests/unit/support/brief.h"
#include "tracer/targets/code_image.h"
#include "vm/base/hash.h"
#include "vm/base/host/map.h"
#include "vm/base/host/vec.h"
#include "vm/base/status.h"

#define PROGRAM_BYTES (1 << 20)
/* Entries and exits by jump, in hundredths of a percent, of the files named here. */
#define LEAST_SHARE	 9960
#define LEAST_EXIT_SHARE 9930
#define FUNCTION_MAX	 (1u << 22)
#define GROUP		 32   /* functions that are planned without the others */
#define LEAST_ALIKE	 9900 /* of them, in hundredths of a percent, as with them */

static const char *const well_known[] = {
	"libc.so.", "libstdc++.so.", "libcrypto.so.", "libsqlite3.so.", "libLLVM",
	"python3.", "node",	     "lua5.4",	      "redis-",		"cc1",
};

#define TACTICS (HOOK_REFUSED + 1)

struct tally {
	size_t functions;
	size_t passed_by, passed_refused; /* by globs, and refused besides */
	size_t entries[TACTICS], exits[TACTICS];
	size_t entries_by_reason[HOOK_REASON_COUNT], exits_by_reason[HOOK_REASON_COUNT];
	size_t hooks, stub_bytes;
	size_t faults; /* functions without a sound answer */
	size_t digest; /* of all plans: the same if nothing is planned differently */
};

struct survey {
	struct tally total;
	/* Rows of unwind tables: all, by expressions, without a caller that is found. */
	size_t rows, expressions, unknown;
	size_t few, alike; /* functions planned without the others, and as with them */
	size_t groups;
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
	return plan->covered >= hook_plan_patched(plan) &&
	       plan->covered <= HOOK_COVERED_MAX && plan->nsites > 0 &&
	       plan->nsites <= HOOK_SITES_MAX &&
	       (plan->tactic == HOOK_CALL || plan->ninsns > 0);
}

static enum hook_place in_new_page(void *ctx, taddr at)
{
	const taddr *stub = ctx;
	int64_t distance = (int64_t)(at.v - stub->v);

	return distance == (int32_t)distance && at.v % 4096 <= 4096 - HOOK_JUMP
		       ? HOOK_PLACE_NEW
		       : HOOK_PLACE_NONE;
}

/* Whether the stub is the same when it is built elsewhere, and then moved there. */
static bool is_placed(const struct stub_request *req, const struct stub *there)
{
	struct stub_request away = *req;
	struct stub stub;
	int err;

	away.stub = req->plan->patch;
	away.switch_word = away.stub;
	away.site = 0;
	if (stub_build(&away, &stub) != 0)
		return false;
	err = stub_place(req, away.stub, &stub);
	return err == STATUS_UNSUP ||
	       (!err && stub.n == there->n &&
		!memcmp(stub.bytes, there->bytes, stub.n) &&
		!memcmp(stub.patch, there->patch, sizeof(stub.patch)) &&
		!memcmp(stub.island, there->island, sizeof(stub.island)));
}

/*
 * Whether a stub right below the module does it: every moved instruction has a
 * point that leads back to it, and the stub ends where control cannot run on.
 */
static bool can_build(const struct module *m, struct hook_plan *plan, struct tally *t)
{
	struct hook_places anywhere = {.at = in_new_page};
	uint8_t bytes[HOOK_PATCH_MAX];
	struct stub_request req = {
		.plan = plan, .gate = {0, 8}, .site = 7, .chain = bytes};
	struct stub stub;
	int err;

	req.switch_word = taddr_add(m->lo, -0x20000); /* below 0 it wraps */
	req.stub = taddr_add(m->lo, -0x10000);
	anywhere.ctx = &req.stub;
	if (plan->tactic == HOOK_JMP_CHAIN &&
	    (!hook_chain_is_sound(plan) || !hook_chain_choose(plan, &anywhere, bytes)))
		return false;
	err = stub_build(&req, &stub);
	if (err == STATUS_RANGE) {
		plan->tactic = HOOK_BREAKPOINT;
		plan->reason = HOOK_REASON_OUT_OF_REACH;
		return true;
	}
	t->stub_bytes += stub.n;
	for (uint32_t i = 0; !err && i < plan->nsites; i++)
		err = !stub_point_at(&stub, stub.prologues[i] + STUB_EPILOGUE);
	return !err && (plan->tactic == HOOK_JMP_CHAIN || is_placed(&req, &stub));
}

struct wants {
	taddr lo; /* of the function */
	struct hook_probe_point *data;
	size_t len, cap;
};

struct file {
	const struct module *module;
	const struct code_image *view;
	struct hook_islands *islands;
	struct wants next; /* of the next function, found already */
	uint64_t next_lo;
	size_t taken;	/* of these, by the end of the function before */
	uint64_t floor; /* where its plans end */
	struct tally tally;
};

/* One function whose entry and exits are planned together. */
struct whole {
	struct file *file;
	struct wants wants;
	size_t own;	/* the others are those of the next function */
	uint64_t floor; /* no plan may reach below the one before */
	bool is_faulty, has_entry, is_verbose;
};

static void want_exit(void *ctx, const struct scan_site *site)
{
	struct wants *w = ctx;
	taddr pc = taddr_add(w->lo, site->offset);

	if (!site->is_exit && !site->is_maybe)
		return;
	if (w->data[w->len - 1].pc.v == pc.v)
		w->data[w->len - 1].is_exit = true;
	else
		*vec_push(w) = (struct hook_probe_point){.pc = pc, .is_exit = true};
}

static size_t digest_of(const struct hook_plan *p)
{
	const uint64_t words[] = {p->site.v,  p->patch.v, p->island.at.v,
				  p->tactic,  p->reason,  p->covered,
				  p->padding, p->ninsns,  p->nsites};
	uint64_t digest = hash_bytes(words, sizeof(words), 0);

	digest = hash_bytes(p->original, sizeof(p->original), digest);
	for (uint32_t i = 0; i < p->nsites; i++)
		digest = hash_bytes(&p->sites[i], sizeof(p->sites[i]), digest);
	return (size_t)digest;
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
	t->hooks += !p.reason;
	t->digest += digest_of(plan);
	if (first + n > w->own) {
		w->file->taken = first + n - w->own;
		w->file->floor = w->floor;
	}
	for (size_t i = first; i < first + n; i++) {
		const struct hook_probe_point *want = &w->wants.data[i];

		t->entries[p.tactic] += want->is_before;
		t->entries_by_reason[p.reason] += want->is_before;
		t->exits[p.tactic] += want->is_exit;
		t->exits_by_reason[p.reason] += want->is_exit;
		w->has_entry |= want->is_before;
		if (w->is_verbose && p.reason)
			printf("\t%llx: %s\n", (unsigned long long)want->pc.v,
			       hook_reason_text(p.reason));
	}
}

/* The file's bytes of the function, NULL when it has not all of them. */
static const uint8_t *code_of(const struct file *f, struct addr_range r)
{
	const struct hook_module *m = &f->view->module;

	for (size_t i = 0; i < m->ncode; i++)
		if (r.lo.v >= m->code[i].lo.v &&
		    r.hi.v <= m->code[i].lo.v + m->code[i].n)
			return m->code[i].data + (r.lo.v - m->code[i].lo.v);
	return NULL;
}

static void find_wants(const struct file *f, struct addr_range r, struct wants *w)
{
	struct scan_request req = {.bytes = code_of(f, r),
				   .n = r.hi.v - r.lo.v,
				   .ranges = &r,
				   .nranges = 1,
				   .site = want_exit,
				   .ctx = w};
	uint32_t bad;

	w->lo = r.lo;
	*vec_push(w) = (struct hook_probe_point){.pc = r.lo, .is_before = true};
	if (req.bytes && req.n <= FUNCTION_MAX)
		scan_function(&req, &bad);
}

/* The function's wants but for those that the end of the one before has taken over. */
static void take_wants(struct file *f, struct addr_range r, struct whole *w)
{
	if (!f->next.len || f->next_lo != r.lo.v) {
		vec_release(&f->next);
		f->taken = 0;
		find_wants(f, r, &w->wants);
	}
	w->has_entry = f->taken > 0;
	for (size_t i = f->taken; i < f->next.len; i++)
		*vec_push(&w->wants) = f->next.data[i];
	vec_release(&f->next);
	w->own = w->wants.len;
	f->taken = 0;
}

/* Those of the next function right behind it. */
static void look_ahead(struct file *f, struct addr_range r, struct addr_range next,
		       struct whole *w)
{
	if (next.lo.v < r.hi.v || next.lo.v >= r.hi.v + HOOK_COVERED_MAX)
		return;
	find_wants(f, next, &f->next);
	f->next_lo = next.lo.v;
	for (size_t i = 0; i < f->next.len; i++)
		*vec_push(&w->wants) = f->next.data[i];
}

/* False: some plan is not sound. */
static bool survey_whole(const struct survey *s, struct file *f, struct addr_range r,
			 struct addr_range next)
{
	struct whole w = {.file = f, .is_verbose = s->is_verbose};
	struct hook_function function = {.lo = r.lo,
					 .hi = r.hi,
					 .islands = f->islands,
					 .floor = taddr_of(f->floor),
					 .plan = take_plan,
					 .ctx = &w};

	take_wants(f, r, &w);
	look_ahead(f, r, next, &w);
	function.wants = w.wants.data;
	function.nwants = w.own;
	function.nafter = w.wants.len - w.own;
	hook_plan_function(&f->view->module, f->view->branches, &function);
	vec_release(&w.wants);
	return !w.is_faulty && w.has_entry;
}

/* Whether a glob takes none of the names at the address. */
static bool is_passed_by(const struct module *m, const struct symbol *symbol)
{
	const struct symbol *end = m->symbols + m->nsymbols;

	for (const struct symbol *s = symbol; s < end && s->value == symbol->value; s++)
		if (!symbol_is_skipped_by_globs(s))
			return false;
	return true;
}

static struct addr_range range_of(const struct symbol *symbol)
{
	return (struct addr_range){taddr_of(symbol->value),
				   taddr_of(symbol->value + symbol->size)};
}

/* The next symbol of a function that is none of this one's names, or NULL. */
static const struct symbol *next_function(const struct module *m,
					  const struct symbol *symbol)
{
	const struct symbol *end = m->symbols + m->nsymbols;

	for (const struct symbol *s = symbol + 1; s < end; s++)
		if (s->value != symbol->value && s->value != s[-1].value &&
		    !s->is_fragment)
			return s;
	return NULL;
}

static void survey_function(const struct survey *s, struct file *f,
			    const struct symbol *symbol)
{
	const struct symbol *behind = next_function(f->module, symbol);
	struct addr_range r = range_of(symbol);
	struct hook_entry entry = {.lo = r.lo, .hi = r.hi};
	struct hook_plan plan;
	struct tally ignored = {0};

	hook_plan_entry(&f->view->module, f->view->branches, &entry, &plan);
	f->tally.functions++;
	if (is_passed_by(f->module, symbol)) {
		f->tally.passed_by++;
		f->tally.passed_refused += plan.tactic == HOOK_REFUSED;
	}
	if (is_sound(&plan) && (plan.reason || can_build(f->module, &plan, &ignored)) &&
	    survey_whole(s, f, r, behind ? range_of(behind) : r))
		return;
	printf("FAILED %s: tactic %d, reason %d\n", symbol->name, (int)plan.tactic,
	       (int)plan.reason);
	f->tally.faults++;
}

/* A tally is numbers all over. */
static void add_tally(struct tally *to, const struct tally *t)
{
	const size_t *from = (const void *)t;
	size_t *sum = (void *)to;

	for (size_t i = 0; i < sizeof(*t) / sizeof(*sum); i++)
		sum[i] += from[i];
}

static size_t sum_of(const size_t by_tactic[TACTICS])
{
	size_t sum = 0;

	for (int i = 0; i < TACTICS; i++)
		sum += by_tactic[i];
	return sum;
}

/* Of those by jump, in hundredths of a percent. */
static size_t share(const size_t by_tactic[TACTICS])
{
	size_t all = sum_of(by_tactic);

	return all ? (all - by_tactic[HOOK_BREAKPOINT] - by_tactic[HOOK_REFUSED]) *
			       10000 / all
		   : 10000;
}

static void print_line(const char *name, const struct tally *t)
{
	const size_t *in = t->entries, *out = t->exits;

	printf("%-24.24s %8zu %7zu %8zu %5zu %5zu %5zu %5zu %5zu %3zu.%02zu%% %8zu "
	       "%8zu "
	       "%5zu %5zu %5zu %5zu "
	       "%3zu.%02zu%% %7zu %08zx\n",
	       name, t->functions, t->passed_by, in[HOOK_JMP], in[HOOK_JMP_SHORT],
	       in[HOOK_JMP_PUN], in[HOOK_JMP_CHAIN], in[HOOK_CALL], in[HOOK_BREAKPOINT],
	       share(in) / 100, share(in) % 100, sum_of(out),
	       out[HOOK_JMP] + out[HOOK_CALL], out[HOOK_JMP_SHORT], out[HOOK_JMP_PUN],
	       out[HOOK_JMP_CHAIN], out[HOOK_BREAKPOINT], share(out) / 100,
	       share(out) % 100,
	       in[HOOK_REFUSED] + out[HOOK_REFUSED] - t->passed_refused,
	       t->digest & UINT32_MAX);
}

static bool is_well_known(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(well_known); i++) {
		if (strncmp(name, well_known[i], strlen(well_known[i])) == 0)
			return true;
	}
	return false;
}

/* Whether decode_brief() and decode_quick() agree at every byte of the code. */
static bool is_read_alike(const struct hook_module *m)
{
	for (size_t i = 0; i < m->ncode; i++)
		for (size_t at = 0; at < m->code[i].n; at++)
			if (!brief_agrees(m->code[i].data + at, m->code[i].n - at))
				return false;
	return true;
}

static void finish_file(struct survey *s, const struct file *f)
{
	const char *name = f->module->name;

	print_line(name, &f->tally);
	if (is_well_known(name) && (share(f->tally.entries) < LEAST_SHARE ||
				    share(f->tally.exits) < LEAST_EXIT_SHARE)) {
		printf("FAILED %s: jumps at fewer than %d.%02d%% of its entries or "
		       "%d.%02d%% of its exits\n",
		       name, LEAST_SHARE / 100, LEAST_SHARE % 100,
		       LEAST_EXIT_SHARE / 100, LEAST_EXIT_SHARE % 100);
		s->failures++;
	}
	if (!is_read_alike(&f->view->module)) {
		printf("FAILED %s: one reader of instructions differs\n", name);
		s->failures++;
	}
	s->failures += f->tally.faults;
	s->files++;
	add_tally(&s->total, &f->tally);
}

static void count_rows(struct survey *s, const struct module *m)
{
	struct module_cfi_rows rows;
	struct err e;

	if (module_read_cfi_rows(m, &rows, &e))
		return;
	for (size_t i = 0; i < rows.len && rows.data[i].pc <= m->hi.v - m->lo.v; i++) {
		const struct cfi_row *row = &rows.data[i];

		s->rows++;
		s->expressions += row->form == CFI_ROW_EXPRESSION;
		s->unknown += row->form == CFI_ROW_STOP && row->after;
	}
	vec_release(&rows);
}

/* Plans the function alone: the digest of its plans. */
static size_t plan_alone(const struct survey *s, const struct module *m,
			 const struct code_image *view, struct addr_range r)
{
	struct survey quiet = *s;
	struct file f = {.module = m, .view = view, .islands = hook_islands_new()};

	quiet.is_verbose = false;
	survey_whole(&quiet, &f, r, r);
	hook_islands_free(f.islands);
	vec_release(&f.next);
	return f.tally.digest;
}

/* Whether the few has all that is in the function and the whole has. */
static bool has_all(const struct code_image *few, const struct code_image *whole,
		    struct addr_range r)
{
	taddr end = taddr_add(r.hi, HOOK_COVERED_MAX);

	for (taddr pc = r.lo; pc.v < end.v; pc.v++)
		if (hook_branches_has(whole->branches, pc) &&
		    !hook_branches_has(few->branches, pc)) {
			printf("\t%llx: not found\n", (unsigned long long)pc.v);
			return false;
		}
	return true;
}

/* Every step-th function from number `first` on. */
static void survey_group(struct survey *s, const struct module *m,
			 const struct code_image *whole, size_t first)
{
	const size_t step = m->nsymbols / GROUP + 1;
	struct {
		struct addr_range *data;
		size_t len, cap;
	} parts = {0};
	struct code_image *few;
	struct err e;

	for (size_t i = first; i < m->nsymbols; i += step)
		*vec_push(&parts) = range_of(&m->symbols[i]);
	if (code_image_new(m, &(struct code_parts){parts.data, parts.len}, &few, &e)) {
		printf("FAILED %s: %s\n", m->path, e.text);
		s->failures++;
		vec_release(&parts);
		return;
	}
	for (size_t i = 0; i < parts.len; i++) {
		s->failures += !has_all(few, whole, parts.data[i]);
		s->few++;
		s->alike += plan_alone(s, m, few, parts.data[i]) ==
			    plan_alone(s, m, whole, parts.data[i]);
	}
	code_image_free(few);
	vec_release(&parts);
}

static void survey_module(struct survey *s, const struct module *m,
			  const struct code_image *view)
{
	struct file f = {.module = m, .view = view, .islands = hook_islands_new()};

	for (size_t i = 0; i < m->nsymbols; i++) {
		bool is_alias = i && m->symbols[i].value == m->symbols[i - 1].value;

		if (!is_alias && !m->symbols[i].is_fragment)
			survey_function(s, &f, &m->symbols[i]);
	}
	finish_file(s, &f);
	count_rows(s, m);
	for (size_t i = 0; i < s->groups; i++)
		survey_group(s, m, view, i);
	hook_islands_free(f.islands);
	vec_release(&f.next);
}

/* Files that are no ELF programs are passed over; what is, must be readable. */
static void survey_file(struct survey *s, const char *path)
{
	struct program_file kind;
	struct module *m;
	struct code_image *view;
	struct err e;
	int status = program_file_read(path, &kind, &e);

	if (status || !kind.is_elf || !kind.is_native) {
		s->skipped++;
		return;
	}
	status = module_read_file(path, 0, &m, &e);
	if (!status)
		status = module_load_symbols(m, &e);
	if (!status)
		status = code_image_new(m, NULL, &view, &e);
	if (status) {
		printf("FAILED %s: %s\n", path, e.text);
		s->failures++;
		return;
	}
	survey_module(s, m, view);
	code_image_free(view);
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
	printf("\n%10s %8s\n", "entries", "exits");
	for (size_t i = 1; i < HOOK_REASON_COUNT; i++) {
		if (t->entries_by_reason[i] + t->exits_by_reason[i])
			printf("%10zu %8zu  %s: %s\n", t->entries_by_reason[i],
			       t->exits_by_reason[i],
			       hook_reason_can_break((enum hook_reason)i) ? "breakpoint"
									  : "refused",
			       hook_reason_text((enum hook_reason)i));
	}
}

int main(int argc, char **argv)
{
	const char *groups = getenv("SURVEY_GROUPS");
	struct survey s = {.is_verbose = argc > 1 && strcmp(argv[1], "-v") == 0,
			   .groups = groups ? strtoul(groups, NULL, 10) : 1};

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("%-24s %8s %7s %8s %5s %5s %5s %5s %5s %7s %8s %8s %5s %5s %5s %5s %7s "
	       "%7s %8s\n",
	       "file", "functions", "no glob", "jump", "short", "pun", "chain", "call",
	       "break", "share", "exits", "jump", "short", "pun", "chain", "break",
	       "share", "refused", "digest");
	for (int i = s.is_verbose ? 2 : 1; i < argc; i++)
		survey_directory(&s, argv[i]);
	print_line("all", &s.total);
	print_reasons(&s.total);
	printf("%zu files, %zu passed over, %zu bytes of stub a hook, %zu failures\n",
	       s.files, s.skipped,
	       s.total.hooks ? s.total.stub_bytes / s.total.hooks : 0, s.failures);
	printf("%zu rows of unwind tables, %zu by expressions, %zu with no caller "
	       "found\n",
	       s.rows, s.expressions, s.unknown);
	printf("%zu of %zu functions are planned alike without the others\n", s.alike,
	       s.few);
	if (s.alike * 10000 < s.few * LEAST_ALIKE) {
		printf("FAILED: too few are\n");
		s.failures++;
	}
	map_release(&s.seen);
	return s.failures || !s.files;
}
