/* SPDX-License-Identifier: MIT */
#include "tests/unit/support/vm_image.h"
#include "vm/base/regs.h"

struct builder *builder_new(void)
{
	struct builder *b = calloc(1, sizeof(*b));

	assert(b);
	b->strsize = 256;
	b->n[SECTION_STR] = 1;
	return b;
}

uint32_t build_string(struct builder *b, const char *s)
{
	uint32_t at = b->n[SECTION_STR];

	strcpy(b->str + at, s);
	b->n[SECTION_STR] += (uint32_t)strlen(s) + 1;
	return at;
}

uint32_t build_constant(struct builder *b, uint64_t v)
{
	b->constants[b->n[SECTION_CONST]] = v;
	return b->n[SECTION_CONST]++;
}

struct program_field field_int(uint32_t size, bool is_signed)
{
	return (struct program_field){
		.kind = KIND_INT, .is_signed = is_signed, .size = size};
}

struct program_field field_string(uint32_t strsize)
{
	return (struct program_field){.kind = KIND_STR, .size = strsize};
}

struct program_field field_bytes(uint32_t size)
{
	return (struct program_field){.kind = KIND_BYTES, .size = size};
}

uint32_t build_field(struct builder *b, struct program_field f)
{
	b->fields[b->n[SECTION_FIELD]] = f;
	return b->n[SECTION_FIELD]++;
}

uint32_t build_var(struct builder *b, enum program_scope scope,
		   struct program_field value, uint32_t nkeys)
{
	struct program_var *v = &b->vars[b->n[SECTION_VAR]];

	v->name = build_string(b, "v");
	v->scope = (uint8_t)scope;
	v->value = value;
	v->first_key = b->n[SECTION_FIELD] - nkeys;
	v->nkeys = nkeys;
	if (scope == SCOPE_GLOBAL) {
		v->storage = b->globals;
		b->globals += (uint32_t)program_storage_bytes(&value);
	} else if (scope == SCOPE_THIS) {
		v->storage = b->locals++;
	}
	return b->n[SECTION_VAR]++;
}

uint32_t build_agg(struct builder *b, enum agg_func func, uint64_t param,
		   uint32_t words, uint32_t nkeys)
{
	struct program_agg *a = &b->aggs[b->n[SECTION_AGG]];

	a->func = func;
	a->param = param;
	a->words = words;
	a->first_key = b->n[SECTION_FIELD] - nkeys;
	a->nkeys = nkeys;
	return b->n[SECTION_AGG]++;
}

uint32_t build_action(struct builder *b, enum action_kind kind, uint32_t nfields)
{
	struct program_action *a = &b->actions[b->n[SECTION_ACTION]];

	a->kind = kind;
	a->first_field = b->n[SECTION_FIELD] - nfields;
	a->nfields = nfields;
	return b->n[SECTION_ACTION]++;
}

void build_insn(struct builder *b, insn_t i)
{
	b->code[b->n[SECTION_CODE]++] = i;
}

uint32_t build_clause(struct builder *b, const insn_t *code, uint32_t n)
{
	struct program_clause *c = &b->clauses[b->n[SECTION_CLAUSE]];

	c->first = b->n[SECTION_CODE];
	c->count = n;
	c->stmt = b->n[SECTION_STMT];
	c->contexts = CONTEXT_ALL;
	c->line = 1;
	for (uint32_t i = 0; i < n; i++)
		build_insn(b, code[i]);
	return b->n[SECTION_CLAUSE]++;
}

void build_stmt(struct builder *b, uint32_t first, uint32_t action)
{
	struct program_clause *c = &b->clauses[b->n[SECTION_CLAUSE] - 1];

	b->stmts[b->n[SECTION_STMT]++] =
		(struct program_stmt){c->first + first, action};
	c->nstmts++;
}

void *build_image(struct builder *b, size_t *size)
{
	const struct {
		const void *data;
		size_t element;
	} tables[SECTION_COUNT] = {
		[SECTION_CODE] = {b->code, sizeof(b->code[0])},
		[SECTION_CONST] = {b->constants, sizeof(b->constants[0])},
		[SECTION_STR] = {b->str, 1},
		[SECTION_CLAUSE] = {b->clauses, sizeof(b->clauses[0])},
		[SECTION_VAR] = {b->vars, sizeof(b->vars[0])},
		[SECTION_AGG] = {b->aggs, sizeof(b->aggs[0])},
		[SECTION_ACTION] = {b->actions, sizeof(b->actions[0])},
		[SECTION_FIELD] = {b->fields, sizeof(b->fields[0])},
		[SECTION_OPERAND] = {b->operands, sizeof(b->operands[0])},
		[SECTION_STMT] = {b->stmts, sizeof(b->stmts[0])},
	};
	struct program_header h = {
		.magic = PROGRAM_MAGIC,
		.version = PROGRAM_VERSION,
		.strsize = b->strsize,
		.globals = b->globals,
		.locals = b->locals,
	};
	size_t at = align_up(sizeof(h), 8);
	struct verify_error ignored;
	char *image;

	for (int i = 0; i < SECTION_COUNT; i++) {
		h.section[i].offset = (uint32_t)at;
		h.section[i].count = b->n[i];
		at = align_up(at + b->n[i] * tables[i].element, 8);
	}
	h.size = (uint32_t)at;
	image = calloc(1, at);
	assert(image);
	memcpy(image, &h, sizeof(h));
	for (int i = 0; i < SECTION_COUNT; i++)
		memcpy(image + h.section[i].offset, tables[i].data,
		       b->n[i] * tables[i].element);
	free(b);
	*size = at;
	if (program_verify(image, at, &ignored) == 0)
		program_set_nominal(image);
	return image;
}

static int world_read(void *ctx, taddr addr, void *buf, size_t n, taddr *bad)
{
	struct world *w = ctx;
	uint64_t at = addr.v - WORLD_BASE;

	if (addr.v >= w->real_lo && addr.v < w->real_hi) {
		*bad = taddr_of(w->real_hi);
		if (n > w->real_hi - addr.v)
			return STATUS_FAULT;
		memcpy(buf, (const void *)(uintptr_t)addr.v, n);
		return 0;
	}
	if (at >= sizeof(w->memory)) {
		*bad = addr;
		return STATUS_FAULT;
	}
	if (n > sizeof(w->memory) - at) {
		*bad = taddr_of(WORLD_BASE + sizeof(w->memory));
		return STATUS_FAULT;
	}
	memcpy(buf, w->memory + at, n);
	return 0;
}

static int world_write(void *ctx, taddr addr, const void *buf, size_t n, taddr *bad)
{
	struct world *w = ctx;
	uint64_t at = addr.v - WORLD_BASE;

	if (at >= sizeof(w->memory) || n > sizeof(w->memory) - at) {
		*bad = addr;
		return STATUS_FAULT;
	}
	memcpy(w->memory + at, buf, n);
	return 0;
}

/* No signal 0; a budget of a second. */
static int world_control(void *ctx, enum vm_control what, uint64_t value)
{
	struct world *w = ctx;

	if (what == VM_RAISE && value == 0)
		return STATUS_RANGE;
	if (what == VM_CHILL && value > 1000000000)
		return STATUS_LIMIT;
	w->control = what;
	w->control_value = value;
	return what == VM_COPY ? 7 : 0;
}

static int world_progenyof(void *ctx, uint64_t pid)
{
	(void)ctx;
	return pid == 42;
}

static size_t world_python(void *ctx, char *buf, size_t cap, uint32_t n)
{
	(void)ctx;
	return (size_t)snprintf(buf, cap, "%u frames", n);
}

static int64_t world_descriptor(void *ctx, int fd, uint32_t what, char *buf, size_t cap)
{
	(void)ctx;
	if (cap)
		snprintf(buf, cap, "descriptor %d %u", fd, what);
	return cap ? 0 : fd * 10 + (int)what;
}

static int64_t world_read_str(void *ctx, taddr addr, char *buf, size_t n, taddr *bad)
{
	int64_t len;

	for (len = 0; len < (int64_t)n; len++) {
		int rc = world_read(ctx, taddr_add(addr, len), buf + len, 1, bad);

		if (rc)
			return rc;
		if (!buf[len])
			break;
	}
	return len;
}

static int world_builtin(void *ctx, enum builtin id, uint64_t index, uint64_t *value)
{
	struct world *w = ctx;

	if (id <= BUILTIN_arg9) {
		*value = w->args[index];
		return w->faulty_args >> index & 1 ? STATUS_FAULT : 0;
	}
	if (id == BUILTIN_uregs && w->uregs) {
		*value = index <= REGS_UREG_PLACE ? w->uregs[index] : 0;
		return index <= REGS_UREG_PLACE ? 0 : STATUS_RANGE;
	}
	if (id == BUILTIN_uregs) {
		*value = index + 1000;
		return index < 8 ? 0 : STATUS_RANGE;
	}
	w->nreads++;
	*value = id == BUILTIN_timestamp ? (w->clock += 1 + w->clock_step)
					 : 100 + (uint64_t)id;
	return id == BUILTIN_ucaller ? STATUS_FAULT : 0;
}

static int world_builtin_str(void *ctx, enum builtin id, char *buf, size_t cap)
{
	struct world *w = ctx;

	w->nreads++;
	strncpy(buf, "execname-text", cap - 1);
	buf[cap - 1] = '\0';
	return id == BUILTIN_execname ? 0 : STATUS_RANGE;
}

const char world_names[33] = "\0prov\0mod\0func\0name\0dtrace\0ERROR";

struct state_config rig_config(const void *image)
{
	const struct program_header *h = program_header(image);

	return (struct state_config){
		.nslots = 4,
		.strsize = h->strsize,
		.globals = h->globals,
		.locals = h->locals,
		.naggs = h->section[SECTION_AGG].count,
		.record_growth = program_record_growth(image),
		.variable_growth = program_variable_growth(image),
		.bufsize = 64 << 10,
		.aggsize = 64 << 10,
		.dynvarsize = 64 << 10,
	};
}

struct vm rig_vm(struct rig *r, uint32_t slot, uint64_t thread)
{
	return (struct vm){
		.image = r->image,
		.state = r->state,
		.slot = slot,
		.fullnames = r->fullnames,
		.names = world_names,
		.names_size = sizeof(world_names),
		.enablings = r->enablings,
		.env = {.ctx = &r->world,
			.read = world_read,
			.read_str = world_read_str,
			.builtin = world_builtin,
			.builtin_str = world_builtin_str,
			.write = world_write,
			.control = world_control,
			.progenyof = world_progenyof,
			.descriptor = world_descriptor,
			.python = world_python},
		.context = CONTEXT_FRONT,
		.cpu = 3,
		.pid = 42,
		.tid = 43,
		.thread = thread,
	};
}

struct rig *rig_with(void *image, size_t size, const struct state_config *c)
{
	struct rig *r = calloc(1, sizeof(*r));
	uint32_t n = program_count(image, SECTION_CLAUSE);

	assert(r);
	r->image = image;
	r->image_size = size;
	r->state_bytes = state_size(c);
	assert(r->state_bytes);
	r->state = aligned_alloc(4096, r->state_bytes);
	assert(r->state);
	memset(r->state, 0, r->state_bytes);
	assert(state_init(r->state, r->state_bytes, c) == 0);
	r->probe = (struct vm_probe){7, 0, n};
	r->error = (struct vm_probe){3, 0, 0};
	r->fullnames[7 - 1] = (struct vm_fullname){{1, 6, 10, 15}};
	r->fullnames[3 - 1] = (struct vm_fullname){{20, 0, 0, 27}};
	for (uint32_t i = 0; i < n; i++)
		r->enablings[i] = (struct vm_enabling){i, i + 1};
	r->vm = rig_vm(r, STATE_SLOT_KEEPER, 77);
	return r;
}

struct rig *rig_new(struct builder *b)
{
	size_t size;
	void *image = build_image(b, &size);
	struct verify_error e = {0, NULL};
	struct state_config c = rig_config(image);

	if (program_verify(image, size, &e) != 0) {
		fprintf(stderr, "instruction %u: %s\n", e.insn, e.text);
		abort();
	}
	return rig_with(image, size, &c);
}

void rig_free(struct rig *r)
{
	free(r->image);
	free(r->state);
	free(r);
}

void rig_fire(struct rig *r)
{
	vm_fire(&r->vm, &r->probe, VM_FIRE_NORMAL);
}

struct ring_reader *rig_reader(struct rig *r)
{
	struct ring_reader *reader = &r->readers[r->vm.slot];

	assert(r->vm.slot < RIG_READERS);
	reader->state = r->state;
	reader->slot = r->vm.slot;
	reader->image = r->image;
	return reader;
}

const struct record *rig_record(struct rig *r)
{
	int rc = ring_peek(rig_reader(r), r->buf.bytes, sizeof(r->buf.bytes));

	assert(rc >= 0);
	if (rc == 0)
		return NULL;
	ring_advance(rig_reader(r));
	return &r->buf.record;
}

const void *rig_body(const struct rig *r)
{
	return r->buf.bytes + sizeof(struct record);
}
