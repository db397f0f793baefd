/* SPDX-License-Identifier: MIT */
/*
 * Split DWARF: a unit of the program is a skeleton, and its entries are in a .dwo file.
 *
 * libdw joins both, and opens the file by the name that the skeleton has. That name is
 * the target's: it may be of a FIFO, or of any file. So libdw never sees these names. The
 * .dwo file is opened and checked here and copied to memory (memfd_create(2)); a file of
 * skeletons is made, which all name this memory, and libdw joins those.
 */
#include <dwarf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/dwarf/dwo.h"
#include "symbols/dwarf/image.h"
#include "symbols/dwarf/internal.h"
#include "symbols/dwarf/package.h"
#include "symbols/elf/debugfile.h"
#include "symbols/elf/elf.h"
#include "vm/base/host/fd.h"
#include "vm/base/host/vec.h"

#define SKELETONS_MAX 100000 /* of one file */

struct split {
	struct dwarf_file *file;
	int tid;
	const char *path; /* of the program */
	uint16_t machine;
	struct {
		struct skeleton {
			Dwarf_Die die;
			uint64_t id;
			Dwarf_Half version;
		} * data;
		size_t len, cap;
	} skeletons;
	int slot; /* the file that skeletons name */
	/* PROGRAM.dwp, which has what .dwo files would; NULL: none, or ... */
	struct package *package;
	struct elf_file package_file;
	struct err package_error; /* ... why it cannot be read */
};

bool dwarf_is_skeleton(uint8_t unit_type, Dwarf_Die *unit)
{
	return unit_type == DW_UT_skeleton || dwarf_hasattr(unit, DW_AT_dwo_name) ||
	       dwarf_hasattr(unit, DW_AT_GNU_dwo_name);
}

struct dwarf_unit_pair *dwarf_pair_of(struct dwarf_file *d, Dwarf_CU *cu)
{
	Dwarf *dwarf = d->split.pairs.len ? dwarf_cu_getdwarf(cu) : NULL;
	uint64_t i;

	if (!dwarf || dwarf == d->main.dwarf || dwarf == d->shared.dwarf ||
	    !map_get(&d->split.by_dwarf, (uintptr_t)dwarf, &i))
		return NULL;
	return &d->split.pairs.data[i - 1];
}

void dwarf_split_close(struct dwarf_file *d)
{
	map_release(&d->split.types);
	map_release(&d->split.by_dwarf);
	vec_release(&d->split.pairs);
	dwarf_part_close(&d->split.part); /* and all .dwo files */
	strbuf_release(&d->split.image);
}

/* ---- units ---- */

static bool is_visited(uint8_t type, bool with_types)
{
	return type == DW_UT_compile || type == DW_UT_partial ||
	       type == DW_UT_split_compile ||
	       (with_types && (type == DW_UT_type || type == DW_UT_split_type));
}

/* only: the one unit that has a skeleton, of a .dwo file. */
static bool each_unit_of(Dwarf *from, const Dwarf_Die *only, bool with_types,
			 bool (*visit)(void *ctx, Dwarf_Die *unit), void *ctx)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;

	while (dwarf_get_units(from, cu, &cu, NULL, &type, &unit, NULL) == 0) {
		if (!is_visited(type, with_types) ||
		    (!only && dwarf_is_skeleton(type, &unit)) ||
		    (only && type == DW_UT_split_compile && cu != only->cu))
			continue;
		if (!visit(ctx, &unit))
			return false;
	}
	return true;
}

bool dwarf_each_unit(struct dwarf_file *d, bool with_types,
		     bool (*visit)(void *ctx, Dwarf_Die *unit), void *ctx)
{
	if (!each_unit_of(d->main.dwarf, NULL, with_types, visit, ctx) ||
	    (with_types && d->shared.dwarf &&
	     !each_unit_of(d->shared.dwarf, NULL, true, visit, ctx)))
		return false;
	for (size_t i = 0; i < d->split.pairs.len; i++) {
		const Dwarf_Die *unit = &d->split.pairs.data[i].unit;

		if (!each_unit_of(dwarf_cu_getdwarf(unit->cu), unit, with_types, visit,
				  ctx))
			return false;
	}
	return true;
}

/* ---- skeletons ---- */

static void find_skeletons(struct split *s)
{
	struct skeleton k;
	Dwarf_CU *cu = NULL;
	uint8_t type;

	while (s->skeletons.len < SKELETONS_MAX &&
	       dwarf_get_units(s->file->main.dwarf, cu, &cu, &k.version, &type, &k.die,
			       NULL) == 0)
		if (dwarf_is_skeleton(type, &k.die) &&
		    dwarf_cu_info(cu, NULL, NULL, NULL, NULL, &k.id, NULL, NULL) == 0)
			*vec_push(&s->skeletons) = k;
}

/* Either of two attributes: of DWARF 5, of GNU in DWARF 4. */
static bool find_attr(Dwarf_Die *die, unsigned a, unsigned b, Dwarf_Attribute *out)
{
	return dwarf_attr(die, a, out) || dwarf_attr(die, b, out);
}

static uint64_t read_base(Dwarf_Die *die, unsigned a, unsigned b)
{
	Dwarf_Attribute attr;
	Dwarf_Word n;

	return find_attr(die, a, b, &attr) && dwarf_formudata(&attr, &n) == 0 ? n : 0;
}

static void put(struct strbuf *b, uint64_t n, size_t size)
{
	strbuf_add(b, &n, size);
}

/* The abbreviations of both kinds of skeletons. */
enum { ABBREV_5 = 1, ABBREV_4 };
static const uint8_t abbrevs[] = {
	ABBREV_5,
	DW_TAG_skeleton_unit,
	DW_CHILDREN_no, /**/
	DW_AT_dwo_name,
	DW_FORM_string, /**/
	DW_AT_low_pc,
	DW_FORM_addr, /**/
	DW_AT_addr_base,
	DW_FORM_sec_offset, /**/
	0,
	0, /**/
	ABBREV_4,
	DW_TAG_compile_unit,
	DW_CHILDREN_no, /**/
	0xb0,
	0x42,
	DW_FORM_string,
	/* DW_AT_GNU_dwo_name */ /**/
	DW_AT_low_pc,
	DW_FORM_addr, /**/
	0xb3,
	0x42,
	DW_FORM_sec_offset,
	/* DW_AT_GNU_addr_base */ /**/
	0xb1,
	0x42,
	DW_FORM_data8,
	/* DW_AT_GNU_dwo_id */ /**/
	0xb2,
	0x42,
	DW_FORM_sec_offset, /* DW_AT_GNU_ranges_base */
	0,
	0,
	0,
};

static void put_skeleton(struct skeleton *k, const char *name, struct strbuf *info)
{
	uint64_t addr_base = read_base(&k->die, DW_AT_addr_base, DW_AT_GNU_addr_base);
	size_t at = info->len;
	Dwarf_Addr low = 0;
	uint32_t length;

	if (dwarf_lowpc(&k->die, &low) != 0)
		low = 0;
	put(info, 0, 4);
	put(info, k->version < 5 ? 4 : 5, 2);
	if (k->version >= 5)
		put(info, DW_UT_skeleton | 8 << 8, 2);
	put(info, 0, 4); /* of .debug_abbrev */
	if (k->version >= 5)
		put(info, k->id, 8);
	else
		put(info, 8, 1);
	put(info, k->version < 5 ? ABBREV_4 : ABBREV_5, 1);
	strbuf_add(info, name, strlen(name) + 1);
	put(info, low, 8);
	put(info, addr_base, 4);
	if (k->version < 5) {
		put(info, k->id, 8);
		put(info, read_base(&k->die, DW_AT_GNU_ranges_base, 0), 4);
	}
	length = (uint32_t)(info->len - at - sizeof(length));
	memcpy(info->data + at, &length, sizeof(length));
}

/* The file of skeletons, with the sections that entries in .dwo files refer to. */
static bool open_skeletons(struct split *s)
{
	static const char *const shared[] = {"debug_addr", "debug_ranges"};
	struct dwarf_part *p = &s->file->split.part;
	struct image_section sections[4];
	struct strbuf info = {0};
	char name[40];
	size_t n = 0;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", s->slot);
	for (size_t i = 0; i < s->skeletons.len; i++)
		put_skeleton(&s->skeletons.data[i], name, &info);
	sections[n++] = (struct image_section){".debug_info", info.data, info.len};
	sections[n++] =
		(struct image_section){".debug_abbrev", abbrevs, sizeof(abbrevs)};
	for (size_t i = 0; i < ARRAY_LEN(shared); i++) {
		const Elf_Data *data = dwarf_section(s->file->main.elf, shared[i]);

		if (data && data->d_buf && dwarf_has_room(s->file, data->d_size))
			sections[n++] = (struct image_section){
				i ? ".debug_ranges" : ".debug_addr", data->d_buf,
				data->d_size};
	}
	image_make(s->machine, sections, n, &s->file->split.image);
	strbuf_release(&info);
	p->elf = elf_memory(s->file->split.image.data, s->file->split.image.len);
	p->dwarf = p->elf ? dwarf_begin_elf(p->elf, DWARF_C_READ, NULL) : NULL;
	return p->dwarf != NULL;
}

/* ---- .dwo files ---- */

static void miss(struct split *s, const char *why)
{
	char *to = s->file->split.why;
	size_t size = sizeof(s->file->split.why);

	if (s->file->split.nmissing++)
		return;
	snprintf(to, size,
		 "its entries in .dwo files (-gsplit-dwarf) are not known: %s", why);
	for (size_t i = 0; to[i]; i++)
		if ((unsigned char)to[i] < ' ' || to[i] == 0x7f)
			to[i] = '?';
}

static const char *read_text(struct split *s, Dwarf_Die *die, unsigned a, unsigned b)
{
	Dwarf_Attribute attr;
	const char *text = find_attr(die, a, b, &attr) ? dwarf_formstring(&attr) : NULL;

	return text && dwarf_is_name(s->file, text) ? text : NULL;
}

static int copy_image(struct budget *from, const struct strbuf *image, int to,
		      struct err *e)
{
	if (!budget_take(from, image->len, "its debugging data"))
		return err_set(
			e, STATUS_BADFMT,
			"'%s' is too large to be read: -x symlimit=SIZE raises the "
			"limit",
			from->path);
	return fd_write_all(to, image->data, image->len)
		       ? 0
		       : err_errno(e, STATUS_IO, "no memory is left for them");
}

static int copy_file(const struct elf_file *f, int to, struct err *e)
{
	struct strbuf image = {0};
	int rc = dwo_image(f, &image, e);

	if (!rc)
		rc = copy_image(f->budget, &image, to, e);
	strbuf_release(&image);
	return rc;
}

static void keep(struct split *s, const struct budget *b)
{
	budget_keep(b->spent);
	s->file->kept += b->spent;
	s->file->index_max += b->max;
}

static void close_package(struct split *s)
{
	if (!s->package)
		return;
	keep(s, s->package_file.budget);
	package_close(s->package);
	elf_release(&s->package_file);
	s->package = NULL;
}

static bool has_any(const struct split *s)
{
	for (size_t i = 0; s->package && i < s->skeletons.len; i++)
		if (package_has(s->package, s->skeletons.data[i].id))
			return true;
	return false;
}

static int try_package(struct split *s, const struct package_name *n, unsigned number,
		       struct err *e)
{
	int rc = debugfile_open_package(n, number, &s->package_file, e);

	if (rc)
		return rc;
	rc = package_open(&s->package_file, &s->package, e);
	if (rc)
		elf_release(&s->package_file);
	return rc;
}

/*
 * A program has at most one package: the first that has any of its units. What is wrong
 * with another one is of interest if there is none.
 */
static void open_package(struct split *s, const char *debug)
{
	const struct package_name n = {s->tid, s->path,
				       strcmp(debug, s->path) == 0 ? NULL : debug};
	struct err wrong = {0};

	for (unsigned i = 0; i < DEBUGFILE_PACKAGES; i++) {
		struct err e = {0};
		int rc = try_package(s, &n, i, &e);

		if (has_any(s))
			return;
		if (!rc)
			err_set(&e, STATUS_NOENT, "'%s' is of another build",
				s->package_file.budget->path);
		close_package(s);
		if (rc != STATUS_NOENT && !wrong.text[0])
			wrong = e;
	}
	s->package_error = wrong;
}

static int fetch_packed(struct split *s, const struct skeleton *k, int fd,
			struct err *e)
{
	struct strbuf image = {0};
	int rc = package_image(s->package, k->id, &image, e);

	if (!rc)
		rc = copy_image(s->package_file.budget, &image, fd, e);
	strbuf_release(&image);
	return rc;
}

/* Of all places where the entries may be, the package is the first one. */
static int explain_missing(const struct split *s, const char *name, int rc,
			   struct err *e)
{
	if (s->package_error.text[0] && s->package_error.status != STATUS_NOENT)
		*e = s->package_error;
	else if (rc == STATUS_NOENT && s->package_error.text[0])
		err_set(e, rc, "'%s' is not there, and %s", name,
			s->package_error.text);
	else if (rc == STATUS_NOENT && s->package)
		err_set(e, rc, "'%s' is not there, nor in '%s'", name,
			s->package_file.budget->path);
	else if (rc == STATUS_NOENT)
		err_set(e, rc,
			"cannot open '%s': move it beside the program, or run "
			"'dwp -e PROGRAM -o PROGRAM.dwp' where it is",
			name);
	return rc;
}

/* Copies the file of the entries of a skeleton to memory, which fd is. */
static int fetch(struct split *s, struct skeleton *k, int fd, struct err *e)
{
	struct split_name name = {
		.tid = s->tid,
		.program = s->path,
		.folder = read_text(s, &k->die, DW_AT_comp_dir, 0),
		.name = read_text(s, &k->die, DW_AT_dwo_name, DW_AT_GNU_dwo_name),
	};
	struct elf_file f;
	int rc;

	if (s->package && package_has(s->package, k->id))
		return fetch_packed(s, k, fd, e);
	if (!name.name)
		return err_set(e, STATUS_BADFMT, "their names are damaged");
	rc = debugfile_open_split(&name, &f, e);
	if (rc)
		return explain_missing(s, name.name, rc, e);
	rc = dwarf_check_sections(&f, e);
	if (!rc)
		rc = copy_file(&f, fd, e);
	if (!rc)
		keep(s, f.budget);
	elf_release(&f);
	return rc;
}

/* A package has each type unit only once, with the unit of any of its .dwo files. */
static void add_types(struct dwarf_file *d, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die type;
	uint64_t signature;
	uint8_t kind;

	while (dwarf_get_units(dwarf, cu, &cu, NULL, &kind, NULL, &type) == 0)
		if ((kind == DW_UT_type || kind == DW_UT_split_type) &&
		    dwarf_cu_info(cu, NULL, NULL, NULL, &type, &signature, NULL,
				  NULL) == 0 &&
		    dwarf_has_room(d, 2 * sizeof(signature)))
			map_set(&d->split.types, signature, dwarf_ref_of(d, &type));
}

static void add_pair(struct split *s, struct skeleton *k, Dwarf_Die *unit)
{
	struct dwarf_file *d = s->file;
	Dwarf *dwarf = dwarf_cu_getdwarf(unit->cu);

	/* libdw opens the files that .gnu_debugaltlink names unless it is given one */
	dwarf_setalt(dwarf, dwarf);
	*vec_push(&d->split.pairs) = (struct dwarf_unit_pair){k->die, *unit};
	map_set(&d->split.by_dwarf, (uintptr_t)dwarf, d->split.pairs.len);
	dwarf_find_sections(dwarf_getelf(dwarf), &d->split.part.sections);
	if (s->package)
		add_types(d, dwarf);
}

/* Puts a new, empty file into the slot. */
static int renew_slot(struct split *s)
{
	int fd = memfd_create("dwo", MFD_CLOEXEC);

	if (fd < 0)
		return -1;
	if (s->slot < 0) {
		s->slot = fd;
		return 0;
	}
	if (dup3(fd, s->slot, O_CLOEXEC) < 0)
		fd = -1;
	close(fd);
	return fd < 0 ? -1 : 0;
}

/* The next skeleton of libdw's: what is in the slot then is joined to it. */
static void join(struct split *s, struct skeleton *k, Dwarf_CU **cu)
{
	struct err e = {0};
	Dwarf_Die skeleton, unit = {0};
	int rc = renew_slot(s);

	if (rc)
		err_set(&e, STATUS_IO, "no memory is left for them");
	else
		rc = fetch(s, k, s->slot, &e);
	if (dwarf_get_units(s->file->split.part.dwarf, *cu, cu, NULL, NULL, &skeleton,
			    &unit) != 0 ||
	    !unit.cu) {
		const char *name =
			read_text(s, &k->die, DW_AT_dwo_name, DW_AT_GNU_dwo_name);

		if (!rc)
			err_set(&e, STATUS_BADFMT,
				"'%s' is damaged or of another build", name);
		miss(s, e.text);
		return;
	}
	add_pair(s, k, &unit);
}

static int compare_sections(const void *a, const void *b)
{
	const struct section_bytes *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

void dwarf_open_split(struct dwarf_file *d, const struct elf_file *f, int tid,
		      const char *path)
{
	struct split s = {.file = d,
			  .tid = tid,
			  .path = path,
			  .machine = f->header.e_machine,
			  .slot = -1};
	struct section_table *t = &d->split.part.sections;
	Dwarf_CU *cu = NULL;

	find_skeletons(&s);
	if (s.skeletons.len)
		open_package(&s, f->budget->path);
	if (s.skeletons.len && renew_slot(&s) == 0 && open_skeletons(&s))
		for (size_t i = 0; i < s.skeletons.len && !budget_is_over(); i++)
			join(&s, &s.skeletons.data[i], &cu);
	else if (s.skeletons.len)
		miss(&s, "they cannot be joined with the program");
	if (t->len)
		qsort(t->data, t->len, sizeof(*t->data), compare_sections);
	if (s.slot >= 0)
		close(s.slot);
	close_package(&s);
	vec_release(&s.skeletons);
}

const char *dwarf_split_why(const struct dwarf_file *d)
{
	return d->split.nmissing ? d->split.why : NULL;
}
