/* SPDX-License-Identifier: MIT */
/*
 * Questions about types, answered from debugging entries. One scan over the
 * outer entries of all units, made at the first question, gives the names and
 * the addresses of functions; everything else is read when asked for.
 */
#include "symbols/types.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/calling.h"
#include "symbols/debugfile.h"
#include "symbols/dwarf.h"
#include "symbols/own.h"
#include "vm/base/host/map.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"

#define SIZE_MAX_TYPE INT32_MAX
#define CHAIN_MAX     64   /* typedefs of typedefs, origins of origins */
#define NESTING_MAX   32   /* structs inside one another by value */
#define NESTED_MAX    4096 /* entries looked at to find that out */

/* Of entries with one name the highest wins; of equals the first. */
enum rank {
	RANK_DECLARED = 1,
	RANK_IN_NAMESPACE,
	RANK_DEFINED,
};

struct module_types {
	struct dwarf_file *dwarf;
	bool is_scanned;
	bool is_split;
	struct strmap names; /* one letter for the kind, name -> 1 + index in named */
	struct {
		struct named {
			uint64_t ref;
			enum rank rank;
		} * data;
		size_t len, cap;
	} named;
	struct {
		struct function_at {
			uint64_t address, ref;
		} * data; /* sorted once scanned */
		size_t len, cap;
	} functions;
};

/* ---- opening ---- */

static bool has_entries(const struct elf_file *f)
{
	return elf_section(f, SHT_PROGBITS, ".debug_info") ||
	       elf_section(f, SHT_PROGBITS, ".zdebug_info");
}

/* The file that dwz(1) moved entries to: its name, and the build-id it must have. */
static int open_shared(const struct elf_file *f, int tid, struct elf_file *out,
		       bool *has_shared, struct err *e)
{
	const Elf64_Shdr *s = elf_section(f, SHT_PROGBITS, ".gnu_debugaltlink");
	uint8_t id[ELF_BUILD_ID_MAX];
	char *text = s ? elf_read(f, s->sh_offset, s->sh_size) : NULL;
	size_t name_len = text ? strlen(text) : 0, id_len;
	int fd, rc = STATUS_NOENT;

	*has_shared = false;
	if (!s)
		return 0;
	if (text && name_len + 1 < s->sh_size)
		rc = tid ? file_open_in_root(tid, text, &fd, e)
			 : file_open(text, &fd, e);
	if (rc == 0)
		rc = elf_open(out, fd, text, e);
	*has_shared = rc == 0;
	id_len = rc ? 0 : elf_build_id(out, id);
	if (rc || id_len != s->sh_size - name_len - 1 ||
	    memcmp(id, text + name_len + 1, id_len) != 0)
		rc = err_set(e, STATUS_NOENT,
			     "its debugging data is shared with '%s', which is missing "
			     "or another one",
			     text ? text : "");
	free(text);
	return rc;
}

static int open_entries(struct module_types *mt, const struct elf_file *f, int tid,
			struct err *e)
{
	struct elf_file shared;
	bool has_shared;
	int rc = open_shared(f, tid, &shared, &has_shared, e);

	if (rc == 0)
		rc = dwarf_open(f, has_shared ? &shared : NULL, &mt->dwarf, e);
	if (has_shared)
		elf_release(&shared);
	return rc;
}

int module_types_open(const struct module *m, struct module_types **out, struct err *e)
{
	struct module_types *mt = oom_calloc(1, sizeof(*mt));
	int tid = m->own->file.tid;
	struct elf_file f, debug;
	char *debug_path = NULL;
	int rc = m->is_vdso ? err_set(e, STATUS_NOENT, "it has no debugging data")
			    : module_open(m, &f, e);

	if (rc) {
		free(mt);
		return rc;
	}
	if (!has_entries(&f) && debugfile_open(&f, tid, m->path, &debug, &debug_path)) {
		rc = open_entries(mt, &debug, tid, e);
		elf_release(&debug);
		free(debug_path);
	} else {
		rc = open_entries(mt, &f, tid, e);
	}
	elf_release(&f);
	if (rc)
		module_types_close(mt);
	else
		*out = mt;
	return rc;
}

void module_types_close(struct module_types *mt)
{
	if (!mt)
		return;
	dwarf_close(mt->dwarf);
	strmap_release(&mt->names);
	vec_release(&mt->named);
	vec_release(&mt->functions);
	free(mt);
}

/* ---- the index ---- */

static char letter_of(enum entry_tag tag)
{
	switch (tag) {
	case ENTRY_STRUCT:
		return 's';
	case ENTRY_UNION:
		return 'u';
	case ENTRY_ENUM:
		return 'e';
	case ENTRY_TYPEDEF:
	case ENTRY_BASE:
		return 't';
	case ENTRY_VARIABLE:
		return 'v';
	default:
		return 0;
	}
}

static struct named *find_named(const struct module_types *mt, char letter,
				const char *name)
{
	struct strbuf key = {0};
	uint64_t i = 0;

	strbuf_putc(&key, letter);
	strbuf_puts(&key, name);
	strmap_get(&mt->names, key.data, &i);
	strbuf_release(&key);
	return i ? &mt->named.data[i - 1] : NULL;
}

static void add_named(struct module_types *mt, char letter, const char *name,
		      const struct named *n)
{
	struct named *old = find_named(mt, letter, name);
	struct strbuf key = {0};

	if (old) {
		if (n->rank > old->rank)
			*old = *n;
		return;
	}
	*vec_push(&mt->named) = *n;
	strbuf_putc(&key, letter);
	strbuf_puts(&key, name);
	strmap_set(&mt->names, key.data, mt->named.len);
	strbuf_release(&key);
}

/* What the entry leaves to its declaration, or to what it is an instance of. */
static void inherit(const struct module_types *mt, struct entry *e)
{
	struct entry from;
	uint64_t origin = e->origin;

	for (int i = 0; i < CHAIN_MAX && origin; i++) {
		if (!dwarf_entry(mt->dwarf, origin, &from))
			return;
		e->name = e->name ? e->name : from.name;
		e->type = e->type ? e->type : from.type;
		origin = from.origin;
	}
}

static void index_entry(void *ctx, const struct entry *seen, bool is_in_namespace)
{
	struct module_types *mt = ctx;
	struct entry e = *seen;
	struct named n = {e.ref, is_in_namespace ? RANK_IN_NAMESPACE : RANK_DEFINED};
	char letter = letter_of(e.tag);

	if (e.tag == ENTRY_FUNCTION && e.place == PLACE_ADDRESS && e.address)
		*vec_push(&mt->functions) = (struct function_at){e.address, e.ref};
	if (!letter)
		return;
	if (e.tag == ENTRY_VARIABLE && !e.name)
		inherit(mt, &e);
	if (!e.name)
		return;
	if (e.is_declaration)
		n.rank = RANK_DECLARED;
	add_named(mt, letter, e.name, &n);
}

static int compare_functions(const void *a, const void *b)
{
	const struct function_at *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void need_index(struct module_types *mt)
{
	if (mt->is_scanned)
		return;
	mt->is_scanned = true;
	mt->is_split = dwarf_scan(mt->dwarf, index_entry, mt) > 0;
	if (mt->functions.len)
		qsort(mt->functions.data, mt->functions.len,
		      sizeof(*mt->functions.data), compare_functions);
}

bool module_types_is_split(struct module_types *mt)
{
	need_index(mt);
	return mt->is_split;
}

uint64_t module_types_find(struct module_types *mt, enum target_kind kind,
			   const char *name)
{
	const struct named *n;

	need_index(mt);
	n = find_named(mt,
		       kind == TARGET_STRUCT  ? 's'
		       : kind == TARGET_UNION ? 'u'
		       : kind == TARGET_ENUM  ? 'e'
					      : 't',
		       name);
	return n ? n->ref : 0;
}

uint64_t module_types_same(struct module_types *mt, uint64_t ref)
{
	struct entry e, other;
	const struct named *n;

	need_index(mt);
	if (!dwarf_entry(mt->dwarf, ref, &e) || !letter_of(e.tag))
		return ref;
	if (e.is_stand_in && dwarf_entry(mt->dwarf, e.origin, &other)) {
		ref = e.origin;
		e = other;
	}
	if (!e.name)
		return ref;
	n = find_named(mt, letter_of(e.tag), e.name);
	if (!n || !dwarf_entry(mt->dwarf, n->ref, &other))
		return ref;
	if (e.is_declaration)
		return n->ref;
	return e.size == other.size && e.line == other.line ? n->ref : ref;
}

/* ---- what a type is ---- */

struct dims {
	struct target_type *out;
	bool is_bad;
};

static bool add_dim(void *ctx, const struct entry *e)
{
	struct dims *d = ctx;

	if (e->tag != ENTRY_SUBRANGE)
		return true;
	if (d->out->ndims == TARGET_DIMS_MAX) {
		d->is_bad = true;
		return false;
	}
	d->out->dims[d->out->ndims++] = e->count;
	return true;
}

static void get_array(struct module_types *mt, const struct entry *e,
		      struct target_type *out)
{
	struct dims d = {out, false};

	dwarf_children(mt->dwarf, e->ref, add_dim, &d);
	if (d.is_bad || out->ndims == 0)
		out->kind = TARGET_OPAQUE;
}

static enum target_kind base_kind(const struct entry *e)
{
	switch (e->encoding) {
	case ENCODING_SIGNED:
	case ENCODING_UNSIGNED:
		return e->size == 1 || e->size == 2 || e->size == 4 || e->size == 8
			       ? TARGET_INT
			       : TARGET_OPAQUE;
	case ENCODING_FLOAT:
		return e->size == 4 || e->size == 8 || e->size == 16 ? TARGET_FLOAT
								     : TARGET_OPAQUE;
	default:
		return TARGET_OPAQUE;
	}
}

static enum target_kind kind_of(const struct entry *e)
{
	switch (e->tag) {
	case ENTRY_BASE:
		return base_kind(e);
	case ENTRY_POINTER:
		return TARGET_POINTER;
	case ENTRY_ARRAY:
		return TARGET_ARRAY;
	case ENTRY_TYPEDEF:
		return TARGET_ALIAS;
	case ENTRY_CONST:
	case ENTRY_VOLATILE:
	case ENTRY_RESTRICT:
	case ENTRY_QUALIFIER:
		return TARGET_QUALIFIED;
	case ENTRY_STRUCT:
		return TARGET_STRUCT;
	case ENTRY_UNION:
		return TARGET_UNION;
	case ENTRY_ENUM:
		return TARGET_ENUM;
	case ENTRY_SUBROUTINE:
	case ENTRY_FUNCTION:
		return TARGET_FUNCTION;
	case ENTRY_UNSPECIFIED:
		return TARGET_VOID;
	default:
		return TARGET_OPAQUE;
	}
}

static const char *name_of(const struct entry *e)
{
	switch (e->tag) {
	case ENTRY_CONST:
		return "const";
	case ENTRY_VOLATILE:
		return "volatile";
	case ENTRY_RESTRICT:
		return "restrict";
	case ENTRY_QUALIFIER:
		return NULL;
	default:
		return e->name && *e->name ? e->name : NULL;
	}
}

/* Without typedefs and qualifiers; false when there is no end to them. */
static bool resolve(const struct module_types *mt, uint64_t ref, struct entry *out)
{
	for (int i = 0; i < CHAIN_MAX; i++) {
		enum target_kind kind;

		if (!dwarf_entry(mt->dwarf, ref, out))
			return false;
		kind = kind_of(out);
		if (kind != TARGET_ALIAS && kind != TARGET_QUALIFIED)
			return true;
		ref = out->type;
	}
	return false;
}

/* Compilers say nothing of the sign of an enum that has no type of its own. */
static bool is_enum_signed(const struct module_types *mt, const struct entry *e)
{
	struct entry base;

	return !e->type || !resolve(mt, e->type, &base) ||
	       base.encoding != ENCODING_UNSIGNED;
}

void module_types_get(struct module_types *mt, uint64_t ref, struct target_type *out)
{
	struct entry e;

	*out = (struct target_type){.kind = TARGET_VOID};
	if (!ref)
		return;
	out->kind = TARGET_OPAQUE;
	if (!dwarf_entry(mt->dwarf, ref, &e))
		return;
	out->kind = kind_of(&e);
	out->name = name_of(&e);
	out->size = e.size <= SIZE_MAX_TYPE ? e.size : 0;
	out->base = e.type;
	out->is_signed = e.encoding == ENCODING_SIGNED;
	out->is_complete = !e.is_declaration && e.size <= SIZE_MAX_TYPE;
	if (out->kind == TARGET_ENUM)
		out->is_signed = is_enum_signed(mt, &e);
	if (out->kind == TARGET_ARRAY)
		get_array(mt, &e, out);
	if (e.tag == ENTRY_MEMBER_POINTER)
		out->size = 8;
}

static bool is_unlike_c(void *ctx, const struct entry *e)
{
	bool *found = ctx;

	*found |= e->tag == ENTRY_FUNCTION && e->name && e->name[0] == '~';
	*found |=
		e->tag == ENTRY_MEMBER && e->name && strncmp(e->name, "_vptr", 5) == 0;
	return !*found;
}

/* Before DWARF 5 nothing says so: a class with a destructor, or virtual functions. */
bool module_types_is_by_reference(struct module_types *mt, uint64_t ref)
{
	bool found = false;
	struct entry e;

	if (!dwarf_entry(mt->dwarf, ref, &e) || e.tag != ENTRY_STRUCT || e.is_by_value)
		return false;
	if (!e.is_by_reference)
		dwarf_children(mt->dwarf, ref, is_unlike_c, &found);
	return e.is_by_reference || found;
}

/* ---- members ---- */

/* Whether a struct holds itself by value, as only a damaged file can say. */
struct nesting {
	const struct module_types *mt;
	unsigned depth, budget;
	bool is_endless;
};

static void look_inside(struct nesting *n, uint64_t type);

static bool visit_nested(void *ctx, const struct entry *e)
{
	struct nesting *n = ctx;

	if (n->budget == 0)
		n->is_endless = true;
	else
		n->budget--;
	if (!n->is_endless && (e->tag == ENTRY_MEMBER || e->tag == ENTRY_BASECLASS))
		look_inside(n, e->type);
	return !n->is_endless;
}

static void look_inside(struct nesting *n, uint64_t type)
{
	struct entry e;

	for (int i = 0; i < CHAIN_MAX; i++) {
		if (!resolve(n->mt, type, &e))
			break;
		if (e.tag == ENTRY_STRUCT || e.tag == ENTRY_UNION) {
			if (++n->depth > NESTING_MAX)
				n->is_endless = true;
			else
				dwarf_children(n->mt->dwarf, e.ref, visit_nested, n);
			n->depth--;
			return;
		}
		if (e.tag != ENTRY_ARRAY)
			return;
		type = e.type;
	}
	n->is_endless = type != 0;
}

struct listing {
	struct module_types *mt;
	struct entry owner;
	void (*visit)(void *ctx, const struct target_member *m);
	void *ctx;
};

static uint64_t storage_size(const struct listing *l, const struct entry *e)
{
	struct entry type;

	if (e->size)
		return e->size;
	return resolve(l->mt, e->type, &type) ? type.size : 0;
}

/* The first bit from the start of the struct, counted from the least significant. */
static uint64_t bit_of(const struct listing *l, const struct entry *e)
{
	if (e->has_bit)
		return e->bit;
	if (e->has_high_bit)
		return (e->offset + storage_size(l, e)) * 8 - e->high_bit - e->nbits;
	return e->offset * 8;
}

static bool visit_member(void *ctx, const struct entry *e)
{
	const struct listing *l = ctx;
	struct nesting n = {l->mt, 0, NESTED_MAX, false};
	struct target_member m = {.name = e->name ? e->name : "",
				  .type = e->type,
				  .offset = e->offset,
				  .nbits = e->nbits,
				  .value = e->value};

	if (e->tag == ENTRY_ENUMERATOR && l->owner.tag == ENTRY_ENUM) {
		l->visit(l->ctx, &m);
		return true;
	}
	/* static members of a class, and virtual base classes, are elsewhere */
	if ((e->tag != ENTRY_MEMBER && e->tag != ENTRY_BASECLASS) ||
	    e->is_declaration || l->owner.tag == ENTRY_ENUM)
		return true;
	if (!e->has_offset && !e->has_bit && l->owner.tag == ENTRY_STRUCT)
		return true;
	if (e->tag == ENTRY_BASECLASS)
		m.name = "";
	m.bit = bit_of(l, e);
	look_inside(&n, e->type);
	if (n.is_endless || e->nbits > 64 || m.offset > l->owner.size ||
	    (e->nbits && m.bit + e->nbits > l->owner.size * 8))
		return true;
	l->visit(l->ctx, &m);
	return true;
}

void module_types_members(struct module_types *mt, uint64_t ref,
			  void (*visit)(void *ctx, const struct target_member *m),
			  void *ctx)
{
	struct listing l = {.mt = mt, .visit = visit, .ctx = ctx};

	if (dwarf_entry(mt->dwarf, ref, &l.owner) && l.owner.size <= SIZE_MAX_TYPE)
		dwarf_children(mt->dwarf, ref, visit_member, &l);
}

/* ---- functions and variables ---- */

struct parameters {
	struct module_types *mt;
	struct target_function *out;
};

static bool add_parameter(void *ctx, const struct entry *seen)
{
	struct parameters *p = ctx;
	struct entry e = *seen;

	if (e.tag != ENTRY_PARAMETER)
		return true;
	if (p->out->nparams == TARGET_PARAMS_MAX)
		return false;
	inherit(p->mt, &e);
	p->out->params[p->out->nparams++] =
		(struct target_param){.name = e.name, .type = e.type};
	return true;
}

bool module_types_function(struct module_types *mt, uint64_t value,
			   struct target_function *out)
{
	struct function_at key = {.address = value}, *found;
	struct parameters p = {mt, out};
	struct entry e;

	need_index(mt);
	found = mt->functions.len ? bsearch(&key, mt->functions.data, mt->functions.len,
					    sizeof(key), compare_functions)
				  : NULL;
	if (!found || !dwarf_entry(mt->dwarf, found->ref, &e))
		return false;
	inherit(mt, &e);
	*out = (struct target_function){.result = e.type};
	dwarf_children(mt->dwarf, found->ref, add_parameter, &p);
	calling_place(mt, out);
	return true;
}

int module_types_variable(struct module_types *mt, const char *name, uint64_t *type,
			  uint64_t *value, struct err *e)
{
	const struct named *n;
	struct entry var;

	need_index(mt);
	n = find_named(mt, 'v', name);
	if (!n && mt->is_split)
		return err_set(e, STATUS_NOENT,
			       "its types are in .dwo files (-gsplit-dwarf), which are "
			       "not read");
	if (!n || n->rank == RANK_DECLARED || !dwarf_entry(mt->dwarf, n->ref, &var))
		return err_set(e, STATUS_NOENT, "its debugging data has no '%s'", name);
	if (var.place == PLACE_NONE)
		return err_set(e, STATUS_UNSUP, "'%s' was optimized away", name);
	if (var.place == PLACE_THREAD)
		return err_set(e, STATUS_UNSUP, "each thread has its own '%s'", name);
	if (var.place != PLACE_ADDRESS)
		return err_set(e, STATUS_UNSUP, "'%s' has no fixed address", name);
	inherit(mt, &var);
	*type = var.type;
	*value = var.address;
	return 0;
}
