/* SPDX-License-Identifier: MIT */
#include "tests/unit/support/tracer_rig.h"

#include "vm/base/host/joined_map.h"
#include "tracer/providers/prov_syscall.h"

static uint32_t rig_bytes(struct rig *r, const void *p, size_t n)
{
	uint32_t at = r->nstrings;

	assert_true(at + n + 1 <= sizeof(r->strings));
	memcpy(r->strings + at, p, n);
	r->strings[at + n] = '\0';
	r->nstrings += (uint32_t)n + 1;
	return at;
}

static uint32_t rig_string(struct rig *r, const char *s)
{
	return s && *s ? rig_bytes(r, s, strlen(s)) : 0;
}

void rig_emit(struct rig *r, insn_t i)
{
	assert_true(r->ncode < ARRAY_LEN(r->code));
	r->code[r->ncode++] = i;
}

void rig_load(struct rig *r, unsigned reg, int64_t v)
{
	r->consts[r->nconsts] = (uint64_t)v;
	rig_emit(r, isa_encode(OP_LC, reg, 0, 0, (int32_t)r->nconsts++));
}

static bool rig_is_bytes(const struct rig_value *v)
{
	return v->type == 'b' || v->type == 'f' || v->type == 'w';
}

static void rig_field(struct rig *r, const struct rig_value *v)
{
	r->fields[r->nfields++] = (struct program_field){
		.kind = v->type == 's'	  ? KIND_STR
			: rig_is_bytes(v) ? KIND_BYTES
					  : KIND_INT,
		.show = v->type == 'f'	 ? SHOW_FLOAT
			: v->type == 'w' ? SHOW_WIDE
					 : SHOW_PLAIN,
		.is_signed = v->type == 'i',
		.size = v->size,
	};
}

static void rig_push(struct rig *r, const struct rig_value *v)
{
	if (v->type == 's' || rig_is_bytes(v)) {
		size_t n = v->type == 's' ? strlen(v->text) : v->size;

		rig_emit(r,
			 isa_encode(OP_LS, 1, 0, 0, (int32_t)rig_bytes(r, v->text, n)));
	} else {
		rig_load(r, 1, v->number);
	}
	if (v->type == 's')
		rig_emit(r, isa_encode(OP_TPS, 1, 0, 0, 0));
	else if (rig_is_bytes(v))
		rig_emit(r, isa_encode(OP_TPB, 1, 0, 0, (int32_t)v->size));
	else
		rig_emit(r, isa_encode(OP_TPI, 1, 0, v->size, 0));
}

static void rig_tuple(struct rig *r, const struct rig_value *values)
{
	rig_emit(r, isa_encode(OP_TUP, 0, 0, 0, 0));
	for (; values && values->type; values++)
		rig_push(r, values);
}

static uint32_t rig_fields(struct rig *r, const struct rig_value *values)
{
	uint32_t first = r->nfields;

	for (; values && values->type; values++)
		rig_field(r, values);
	return r->nfields - first;
}

static void rig_stmt(struct rig *r)
{
	struct program_clause *c = &r->clauses[r->nclauses - 1];

	r->stmts[r->nstmts++] = (struct program_stmt){r->ncode, ++c->nstmts};
}

uint32_t rig_clause(struct rig *r)
{
	r->clauses[r->nclauses] = (struct program_clause){
		.first = r->ncode,
		.stmt = r->nstmts,
		.contexts = CONTEXT_ALL,
	};
	return r->nclauses++;
}

void rig_end(struct rig *r)
{
	struct program_clause *c = &r->clauses[r->nclauses - 1];

	rig_emit(r, isa_encode(OP_END, 0, 0, 0, 0));
	c->count = r->ncode - c->first;
}

void rig_empty(struct rig *r)
{
	rig_emit(r, isa_encode(OP_RECE, 0, 0, 0, 0));
}

void rig_action(struct rig *r, enum action_kind kind, const char *text,
		const struct rig_value *values, const int *aggs)
{
	struct program_action *a = &r->actions[r->nactions++];

	*a = (struct program_action){
		.kind = kind,
		.text = rig_string(r, text),
		.first_field = r->nfields,
		.first_operand = r->noperands,
	};
	a->nfields = rig_fields(r, values);
	for (; aggs && *aggs >= 0; aggs++, a->noperands++)
		r->operands[r->noperands++] = (uint32_t)*aggs;
	rig_stmt(r);
	rig_tuple(r, values);
	rig_emit(r, isa_encode(OP_REC, 0, 0, 0, (int32_t)(r->nactions - 1)));
}

void rig_exit(struct rig *r, int status)
{
	const struct rig_value value[] = {INT(4, status), {0}};

	rig_action(r, ACTION_exit, NULL, value, NULL);
	rig_emit(r, isa_encode(OP_STOP, 0, 0, 0, 0));
}

void rig_fault(struct rig *r)
{
	rig_stmt(r);
	rig_load(r, 1, 0);
	rig_emit(r, isa_encode(OP_ULD, 2, 1, 4, 0));
}

int rig_agg(struct rig *r, enum agg_func func, uint64_t param,
	    const struct rig_value *keys)
{
	struct program_agg *a = &r->aggs[r->naggs];

	*a = (struct program_agg){
		.func = func,
		.param = param,
		.first_key = r->nfields,
		.words = agg_words(func, param),
	};
	a->nkeys = rig_fields(r, keys);
	return (int)r->naggs++;
}

void rig_aggregate(struct rig *r, int agg, const struct rig_value *keys, int64_t value,
		   int64_t increment)
{
	rig_stmt(r);
	rig_tuple(r, keys);
	rig_load(r, 2, value);
	rig_load(r, 3, increment);
	rig_emit(r, isa_encode(OP_AGGR, 2, 3, 0, agg));
}

static int rig_read(void *ctx, taddr addr, void *buf, size_t n, taddr *bad)
{
	(void)ctx;
	(void)buf;
	(void)n;
	*bad = addr;
	return STATUS_FAULT;
}

static int rig_builtin(void *ctx, enum builtin id, uint64_t index, uint64_t *value)
{
	struct rig *r = ctx;

	(void)index;
	*value = id == BUILTIN_timestamp ? ++r->clock : 1;
	return 0;
}

struct rig *rig_new(void)
{
	static const char *const begin[] = {"dtrace", "", "", "BEGIN"};
	static const char *const end[] = {"dtrace", "", "", "END"};
	static const char *const error[] = {"dtrace", "", "", "ERROR"};
	struct rig *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	r->nstrings = 1;
	r->bufsize = 1 << 20;
	options_init(&r->options);
	probes_init(&r->probes);
	probes_add(&r->probes, NULL, begin);
	probes_add(&r->probes, NULL, end);
	probes_add(&r->probes, NULL, error);
	r->out = out_new("dtrace");
	r->out_fd = memfd_create("out", MFD_CLOEXEC);
	r->err_fd = memfd_create("err", MFD_CLOEXEC);
	r->out->fd = r->out_fd;
	return r;
}

uint32_t rig_probe(struct rig *r, const char *provider, const char *function,
		   const char *name)
{
	const char *const names[] = {provider, "mod", function, name};
	bool is_syscall = strcmp(provider, prov_syscall.name) == 0;

	return probes_add(&r->probes, is_syscall ? &prov_syscall : NULL, names);
}

static void rig_section(struct rig *r, enum program_section_id id, const void *data,
			uint32_t count, size_t size)
{
	struct program_header *h = r->image;

	h->section[id] = (struct program_section){h->size, count};
	if (count)
		memcpy((char *)r->image + h->size, data, count * size);
	h->size += (uint32_t)align_up(count * size, 8);
}

static void rig_link(struct rig *r)
{
	struct program_header *h = r->image = calloc(1, sizeof(struct rig));
	struct verify_error e = {0, NULL};

	*h = (struct program_header){
		.magic = PROGRAM_MAGIC,
		.version = PROGRAM_VERSION,
		.size = (uint32_t)align_up(sizeof(*h), 8),
		.strsize = 256,
	};
	rig_section(r, SECTION_CODE, r->code, r->ncode, sizeof(insn_t));
	rig_section(r, SECTION_CONST, r->consts, r->nconsts, sizeof(uint64_t));
	rig_section(r, SECTION_STR, r->strings, r->nstrings, 1);
	rig_section(r, SECTION_CLAUSE, r->clauses, r->nclauses, sizeof(r->clauses[0]));
	rig_section(r, SECTION_VAR, NULL, 0, 0);
	rig_section(r, SECTION_AGG, r->aggs, r->naggs, sizeof(r->aggs[0]));
	rig_section(r, SECTION_ACTION, r->actions, r->nactions, sizeof(r->actions[0]));
	rig_section(r, SECTION_FIELD, r->fields, r->nfields, sizeof(r->fields[0]));
	rig_section(r, SECTION_OPERAND, r->operands, r->noperands, sizeof(uint32_t));
	rig_section(r, SECTION_STMT, r->stmts, r->nstmts, sizeof(r->stmts[0]));
	if (program_verify(r->image, h->size, &e))
		fail_msg("bad image: %s at %u", e.text, e.insn);
}

static void rig_tables(struct rig *r)
{
	uint32_t n = 0;

	assert_true(r->probes.table.len <= RIG_PROBES);
	for (size_t i = 0; i < r->probes.table.len; i++) {
		const struct probe *p = &r->probes.table.data[i];
		struct vm_probe *v = &r->table[i];

		v->id = p->id;
		memcpy(r->fullnames[i].field, p->name, sizeof(p->name));
		v->first_enabling = n;
		v->nenablings = (uint32_t)p->nenablings;
		for (size_t k = 0; k < p->nenablings; k++)
			r->enablings[n++] = probe_enablings(p)[k];
	}
}

/* One more mapping of the files. */
static struct state *rig_map_files(const struct state *layout, const int *fds)
{
	struct joined_file files[STATE_REGIONS];
	struct state *s;

	for (int i = 0; i < STATE_REGIONS; i++) {
		struct state_range range = state_region(layout, (enum state_region)i);

		files[i] = (struct joined_file){fds[i], range.at, range.size, false};
		assert_int_equal(ftruncate(fds[i], (off_t)range.size), 0);
	}
	s = joined_map(files, STATE_REGIONS);
	assert_non_null(s);
	return s;
}

/* The home block, and a second one for the slots of threads, which is returned. */
static struct state *rig_map(struct rig *r, const struct state_config *c)
{
	int fds[STATE_REGIONS + 2];
	struct state *layout = aligned_alloc(STATE_LAYOUT_BYTES, STATE_LAYOUT_BYTES);
	struct state *view;

	r->state_size = state_size(c);
	assert_int_equal(state_init(layout, r->state_size, c), 0);
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fds[i] = memfd_create("rig", MFD_CLOEXEC);
	r->state = rig_map_files(layout, fds);
	assert_int_equal(state_init(r->state, r->state_size, c), 0);
	r->sources = sources_new(r->state, r->image);
	for (int i = 0; i < 2; i++) {
		close(fds[i]);
		fds[i] = fds[STATE_REGIONS + i];
	}
	view = rig_map_files(layout, fds);
	state_init_exchange(view, r->state, 1);
	sources_add_view(r->sources, view, r->state_size, fds[STATE_EXCHANGE], 0);
	for (int i = 0; i < STATE_REGIONS; i++)
		if (i != STATE_EXCHANGE)
			close(fds[i]);
	free(layout);
	return view;
}

void rig_start(struct rig *r)
{
	struct state_config state = {
		.nslots = RIG_SLOTS,
		.strsize = 256,
		.naggs = r->naggs,
		.bufsize = r->bufsize,
		.aggsize = 1 << 20,
		.dynvarsize = 4096,
	};
	struct consumer_config config = {
		.command = "dtrace",
		.probes = &r->probes,
		.options = &r->options,
		.out = r->out,
	};
	struct state *view;

	rig_link(r);
	rig_tables(r);
	view = rig_map(r, &state);
	for (uint32_t slot = 0; slot < RIG_SLOTS; slot++) {
		struct vm *vm = &r->vm[slot];

		vm->image = r->image;
		vm->state = slot < STATE_SLOT_FIRST_THREAD ? r->state : view;
		vm->slot = slot;
		vm->fullnames = r->fullnames;
		vm->names = r->probes.names.data;
		vm->names_size = r->probes.names.len;
		vm->enablings = r->enablings;
		vm->env.ctx = r;
		vm->env.read = rig_read;
		vm->env.builtin = rig_builtin;
		vm->context = CONTEXT_FRONT;
		vm->thread = slot + 1;
	}
	config.image = r->image;
	config.sources = r->sources;
	r->consumer = consumer_new(&config);
}

void rig_catch(struct rig *r)
{
	fflush(stderr);
	r->saved_stderr = dup(STDERR_FILENO);
	dup2(r->err_fd, STDERR_FILENO);
}

void rig_release(struct rig *r)
{
	dup2(r->saved_stderr, STDERR_FILENO);
	close(r->saved_stderr);
}

int rig_pass(struct rig *r, uint64_t hold_back)
{
	int rc;

	rig_catch(r);
	rc = consumer_pass(r->consumer, hold_back);
	rig_release(r);
	return rc;
}

void rig_fire(struct rig *r, uint32_t slot, uint32_t probe)
{
	enum vm_fire_flag flag = probe == PROBE_BEGIN ? VM_FIRE_BEGIN
				 : probe == PROBE_END ? VM_FIRE_END
						      : VM_FIRE_NORMAL;

	state_use_slot(r->vm[slot].state, slot);
	vm_fire(&r->vm[slot], &r->table[probe - 1], flag);
}

/* What came out since the last time; valid until the next call. */
static const char *rig_caught(struct rig *r, int fd)
{
	ssize_t n = pread(fd, r->caught, sizeof(r->caught) - 1, 0);

	assert_true(n >= 0);
	r->caught[n] = '\0';
	assert_int_equal(ftruncate(fd, 0), 0);
	lseek(fd, 0, SEEK_SET);
	return r->caught;
}

const char *rig_out(struct rig *r)
{
	out_flush(r->out);
	return rig_caught(r, r->out_fd);
}

const char *rig_err(struct rig *r)
{
	return rig_caught(r, r->err_fd);
}

void rig_free(struct rig *r)
{
	if (r->state)
		munmap(r->state, r->state_size);
	consumer_free(r->consumer);
	sources_free(r->sources);
	out_free(r->out);
	close(r->out_fd);
	close(r->err_fd);
	probes_release(&r->probes);
	options_release(&r->options);
	free(r->image);
	free(r);
}

void rig_options(struct rig *r, const char *settings)
{
	char copy[256], *save = NULL;
	struct err e;

	snprintf(copy, sizeof(copy), "%s", settings ? settings : "");
	for (char *s = strtok_r(copy, " ", &save); s; s = strtok_r(NULL, " ", &save)) {
		char *value = strchr(s, '=');

		if (value)
			*value++ = '\0';
		if (options_set(&r->options, OPTION_FROM_COMMAND, s, value, &e))
			fail_msg("%s: %s", s, e.text);
	}
}
