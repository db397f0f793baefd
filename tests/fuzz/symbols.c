/* SPDX-License-Identifier: MIT */
/*
 * Everything that is read from a program's file: ELF, symbols, unwind tables, code,
 * types. An input is such a file; whatever it is, each reader says an error or
 * gives what can be used, and takes no more memory than fits the file.
 *
 * Every second input is read again with tables that claim more than there is: the file
 * gets a hole of gigabytes at its end, and headers of sections and segments point there,
 * overlap, or are compressed. The input itself says which and how.
 */
#include "tests/fuzz/fuzz.h"

#include "symbols/notes.h"
#include "symbols/symbols.h"
#include "symbols/types.h"

#include <assert.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"
#include "vm/base/hash.h"

#define FUNCTIONS_MAX 64
#define DEPTH_MAX     8
#define HOLE_AT	      (UINT64_C(1) << 20) /* after every input */
#define HOLE_SIZE     (UINT64_C(4) << 30)
/* A sanitizer keeps what was freed. */
#define MEMORY_MAX_KB 900000

static char path[64];

struct look {
	struct module_types *types;
	uint64_t last; /* ref */
	int depth;
};

static void look_at_type(struct look *l, uint64_t ref);

static void look_at_member(void *ctx, const struct target_member *m)
{
	struct look *l = ctx;

	if (m->name)
		assert(strlen(m->name) < FUZZ_INPUT_MAX);
	look_at_type(l, m->type);
}

/* Members are asked for near the root only: they are many. */
static void look_at_type(struct look *l, uint64_t ref)
{
	struct target_type t;

	module_types_get(l->types, ref, &t);
	assert(t.ndims <= TARGET_DIMS_MAX);
	module_types_definition(l->types, ref);
	module_types_is_same(l->types, ref, l->last);
	l->last = ref;
	module_types_is_by_reference(l->types, ref);
	if (l->depth == DEPTH_MAX)
		return;
	l->depth++;
	if (t.base)
		look_at_type(l, t.base);
	if (l->depth <= 2)
		module_types_members(l->types, ref, look_at_member, l);
	l->depth--;
}

static void look_at_name(struct look *l, enum target_kind kind, const char *name)
{
	struct target_search s = {.kind = kind, .name = name};
	struct strbuf names = {0};
	uint64_t ref;

	if (module_types_find(l->types, &s, &ref) == 0) {
		module_types_path(l->types, ref, &names);
		look_at_type(l, ref);
	}
	strbuf_release(&names);
}

static void look_at_copy(void *ctx, uint64_t value, const char *name)
{
	(void)ctx;
	(void)value;
	assert(strlen(name) < FUZZ_INPUT_MAX);
}

static void look_at_lines(struct look *l)
{
	static const char *const globs[] = {"*@*", "*/?*@1*", "@", "x@5"};
	struct target_lines lines;

	for (size_t i = 0; i < ARRAY_LEN(globs); i++) {
		module_types_lines(l->types, globs[i], &lines);
		for (size_t k = 0; k < lines.len; k++)
			assert(lines.data[k].line &&
			       strlen(lines.data[k].file) < 2 * FUZZ_INPUT_MAX);
		vec_release(&lines);
	}
	module_types_copies(l->types, "", look_at_copy, l);
}

static void look_at_local(void *ctx, const struct target_local *l)
{
	struct look *look = ctx;
	const struct where *w = &l->where;

	assert(strlen(l->name) < FUZZ_INPUT_MAX);
	assert(w->npieces && w->npieces <= WHERE_PIECES_MAX);
	assert(w->nnodes <= WHERE_NODES_MAX);
	for (uint32_t i = 0; i < w->nnodes; i++)
		assert(w->nodes[i].op < WHERE_LOAD || w->nodes[i].a < i);
	for (uint32_t i = 0; i < w->npieces; i++)
		assert(w->pieces[i].kind != WHERE_VALUE ||
		       w->pieces[i].node < w->nnodes);
	look_at_type(look, l->type);
}

/* Where variables are, at some addresses of each function. */
static void look_at_locals(struct look *l, const struct module *m)
{
	struct module_cfi_rows rows;
	struct err ignored;

	if (module_read_cfi_rows(m, &rows, &ignored))
		return;
	for (size_t i = 0; i < m->nsymbols && i < FUNCTIONS_MAX; i++)
		for (uint64_t k = 0; k < 4; k++) {
			const struct target_spot spot = {
				.value = m->symbols[i].value +
					 m->symbols[i].size * k / 4,
				.line = k == 3 ? 10 : 0,
				.rows = &rows,
				.base = m->lo.v - m->bias,
				.lo = m->symbols[i].value,
				.hi = m->symbols[i].value + m->symbols[i].size,
				.is_edge = k == 2 || !k,
			};

			module_types_locals(l->types, &spot, look_at_local, l);
		}
	vec_release(&rows);
}

static void look_at_notes(const struct module *m)
{
	struct probe_argument list[PROBE_OPERANDS_MAX];
	struct probe_notes notes;
	struct err e;

	if (module_probe_notes(m, &notes, &e) == 0)
		for (size_t i = 0; i < notes.len; i++) {
			size_t n = probe_note_arguments(m, &notes, i, list);

			for (size_t k = 0; k < n && k < PROBE_OPERANDS_MAX; k++)
				assert(probe_operand_is_valid(&list[k].operand));
		}
	probe_notes_release(&notes);
}

static void look_at_types(const struct module *m)
{
	static const char *const names[] = {"int", "FILE", "pair", "helper", "*e*"};
	struct look l = {0};
	struct target_inlined in;
	struct target_function f;
	uint64_t type, value;
	struct err e;

	if (module_types_open(m, &l.types, &e))
		return;
	module_types_split_why(l.types);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		look_at_name(&l, TARGET_INT, names[i]);
		look_at_name(&l, TARGET_STRUCT, names[i]);
	}
	for (size_t i = 0; i < m->nsymbols && i < FUNCTIONS_MAX; i++) {
		struct target_place places[TARGET_PLACES_MAX];

		assert(module_types_places(l.types,
					   m->symbols[i].value + m->symbols[i].size / 2,
					   places) <= TARGET_PLACES_MAX);
		if (!module_types_function(l.types, m->symbols[i].value,
					   symbol_convention(m, &m->symbols[i]), &f))
			continue;
		assert(f.nparams <= TARGET_PARAMS_MAX);
		for (uint32_t k = 0; k < f.nparams; k++)
			look_at_type(&l, f.params[k].type);
	}
	look_at_lines(&l);
	look_at_locals(&l, m);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		module_types_inlined(l.types, names[i], &in);
		assert(!in.nwhere == !in.ncopies && in.nwhere <= in.ncopies);
		assert(!in.nnames == !in.ncopies && in.nnames <= in.ncopies);
		module_types_inlined_release(&in);
	}
	if (module_types_variable(l.types, &(struct target_search){.name = "data"},
				  &type, &value, &e) == 0)
		look_at_type(&l, type);
	module_types_close(l.types);
}

static void count(void *ctx, const struct symbol *s)
{
	assert(s->size > 0 && s->size <= UINT64_MAX - s->value);
	++*(size_t *)ctx;
}

static void look_at_symbols(const struct module *m)
{
	const char *near[3];
	struct strbuf name = {0};
	uint64_t start;
	size_t n = 0;
	taddr addr;

	assert(module_match(m, "*", count, &n) == n);
	for (size_t i = 0; i < m->nsymbols && i < FUNCTIONS_MAX; i++) {
		addr = module_address(m, m->symbols[i].value);
		assert(module_at(m, addr));
		assert(module_find(m, m->symbols[i].name));
		module_is_signal_return(m, addr);
	}
	module_match(m, "*a*(*", count, &n); /* demangled names too */
	module_nearest(m, "mian", near, ARRAY_LEN(near));
	if (module_lookup_any(m, "data", &addr) == 0)
		module_variable_at(m, addr, true, &name, &start);
	module_variable_at(m, module_address(m, 0x4010), false, &name, &start);
	strbuf_release(&name);
}

static void look_at_code(const struct module *m)
{
	struct module_cfi_rows rows = {0};
	struct module_code *code;
	struct err e;

	if (module_read_cfi_rows(m, &rows, &e) == 0)
		for (size_t i = 1; i < rows.len; i++)
			assert(rows.data[i - 1].pc <= rows.data[i].pc);
	free(rows.data);
	if (module_read_code(m, &code, &e))
		return;
	for (size_t i = 0; i < code->nareas; i++)
		assert(!code->areas[i].size || code->areas[i].data || code->fd >= 0);
	module_code_free(code);
}

/* A hash of the input chooses the claims, so that a failure repeats. */
static uint64_t draw(uint64_t *seed, uint64_t n)
{
	*seed = hash_u64(*seed + 1);
	return *seed % n;
}

static uint64_t claimed_offset(uint64_t *seed, size_t n)
{
	switch (draw(seed, 3)) {
	case 0:
		return draw(seed, n);
	case 1:
		return HOLE_AT;
	default:
		return HOLE_AT + draw(seed, HOLE_SIZE);
	}
}

static uint64_t claimed_size(uint64_t *seed, size_t n)
{
	static const uint64_t sizes[] = {4096,		1 << 20,   1 << 26,
					 HOLE_SIZE / 2, HOLE_SIZE, UINT64_MAX};
	uint64_t i = draw(seed, ARRAY_LEN(sizes) + 2);

	return i < ARRAY_LEN(sizes) ? sizes[i] : draw(seed, 2 * n);
}

static void claim_section(Elf64_Shdr *s, uint64_t *seed, size_t n)
{
	if (draw(seed, 2))
		s->sh_offset = claimed_offset(seed, n);
	if (draw(seed, 2))
		s->sh_size = claimed_size(seed, n);
	if (!draw(seed, 4))
		s->sh_flags ^= SHF_COMPRESSED;
	if (!draw(seed, 4))
		s->sh_type = (uint32_t)draw(seed, 20);
}

static void claim_segment(Elf64_Phdr *p, uint64_t *seed, size_t n)
{
	if (draw(seed, 2))
		p->p_offset = claimed_offset(seed, n);
	if (draw(seed, 2))
		p->p_filesz = p->p_memsz = claimed_size(seed, n);
	if (!draw(seed, 3))
		p->p_type = (uint32_t)draw(seed, 7);
	if (!draw(seed, 3))
		p->p_flags ^= PF_X;
}

/* Spoils the tables of the copy of an input; false: it has none. */
static bool claim(uint8_t *data, size_t n, uint64_t *seed)
{
	Elf64_Ehdr h;

	if (n < sizeof(h))
		return false;
	memcpy(&h, data, sizeof(h));
	for (size_t i = 0; i < h.e_phnum; i++) {
		uint64_t at = h.e_phoff + i * sizeof(Elf64_Phdr);
		Elf64_Phdr p;

		if (at > n || n - at < sizeof(p))
			break;
		memcpy(&p, data + at, sizeof(p));
		if (!draw(seed, 3))
			claim_segment(&p, seed, n);
		memcpy(data + at, &p, sizeof(p));
	}
	for (size_t i = 0; i < h.e_shnum; i++) {
		uint64_t at = h.e_shoff + i * sizeof(Elf64_Shdr);
		Elf64_Shdr s;

		if (at > n || n - at < sizeof(s))
			break;
		memcpy(&s, data + at, sizeof(s));
		if (!draw(seed, 3))
			claim_section(&s, seed, n);
		memcpy(data + at, &s, sizeof(s));
	}
	return true;
}

/* dtrace itself has a few megabytes; the input, sixteen times its size and one. */
static void check_memory(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	assert(usage.ru_maxrss < MEMORY_MAX_KB);
}

static void store(const uint8_t *data, size_t n, uint64_t size)
{
	static int fd = -1;

	if (fd < 0) {
		const char *where = getenv("TMPDIR");

		snprintf(path, sizeof(path), "%s/fuzz-symbols.XXXXXX",
			 where && strlen(where) < 32 ? where : "/tmp");
		fd = mkstemp(path);
		assert(fd >= 0);
	}
	assert(ftruncate(fd, 0) == 0);
	assert(pwrite(fd, data, n, 0) == (ssize_t)n);
	assert(size <= n || ftruncate(fd, (off_t)size) == 0);
}

static void remove_file(void)
{
	unlink(path);
}

static void read_all(const uint8_t *data, size_t n, uint64_t size)
{
	struct program_file p;
	struct module *m;
	struct err e = {0};

	store(data, n, size);
	program_file_read(path, &p, &e);
	if (module_read_file(path, 0x10000, &m, &e)) {
		assert(e.text[0]);
		return;
	}
	if (module_load_symbols(m, &e) == 0)
		look_at_symbols(m);
	look_at_code(m);
	look_at_notes(m);
	look_at_types(m);
	module_free(m);
	check_memory();
}

void fuzz_one(const uint8_t *data, size_t n)
{
	uint64_t seed = hash_bytes(data, n, 0);
	uint8_t *copy;

	if (!path[0])
		atexit(remove_file);
	read_all(data, n, n);
	if (!draw(&seed, 2))
		return;
	copy = malloc(n + 1);
	assert(copy);
	memcpy(copy, data, n);
	if (claim(copy, n, &seed))
		read_all(copy, n, HOLE_AT + HOLE_SIZE);
	free(copy);
}
