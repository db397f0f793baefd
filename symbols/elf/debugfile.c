/* SPDX-License-Identifier: MIT */
#include "symbols/elf/debugfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/elf/file.h"
#include "vm/base/host/log.h"
#include "vm/base/host/strbuf.h"

#define DEBUG_ROOT "/usr/lib/debug"

/* One search: the stripped file, and what identifies its debug file. */
struct search {
	int tid;
	const char *path;
	uint8_t id[ELF_BUILD_ID_MAX];
	size_t id_len;
	uint32_t crc;
	bool has_crc;
};

static bool is_right(const struct search *s, const struct elf_file *f)
{
	uint8_t id[ELF_BUILD_ID_MAX];
	size_t n = elf_build_id(f, id);
	uint32_t crc;

	if (n && s->id_len)
		return n == s->id_len && memcmp(id, s->id, n) == 0;
	return s->has_crc && elf_checksum(f, &crc) == 0 && crc == s->crc;
}

/* tid 0: in the root of this process. */
static bool try_path(const struct search *s, int tid, const char *path,
		     struct elf_file *out)
{
	struct err e;
	int fd, status;

	status = tid ? file_open_in_root(tid, path, &fd, &e) : file_open(path, &fd, &e);
	if (status == STATUS_NOENT || status == STATUS_GONE)
		return false;
	if (status == 0)
		status = elf_open(out, fd, path, &e);
	if (status != 0) {
		log_debug("symbols", "debug file of '%s': %s", s->path, e.text);
		return false;
	}
	if (is_right(s, out) && elf_section(out, SHT_SYMTAB, NULL))
		return true;
	log_debug("symbols", "'%s' is not the debug file of '%s'", path, s->path);
	elf_release(out);
	return false;
}

static bool search_build_id(const struct search *s, struct elf_file *out,
			    struct strbuf *path)
{
	if (s->id_len < 2)
		return false;
	strbuf_reset(path);
	strbuf_printf(path, DEBUG_ROOT "/.build-id/%02x/", s->id[0]);
	for (size_t i = 1; i < s->id_len; i++)
		strbuf_printf(path, "%02x", s->id[i]);
	strbuf_puts(path, ".debug");
	return try_path(s, 0, path->data, out) || try_path(s, s->tid, path->data, out);
}

static bool search_debuglink(const struct search *s, const char *name,
			     struct elf_file *out, struct strbuf *path)
{
	static const char *const form[][2] = {
		{"", "/"}, {"", "/.debug/"}, {DEBUG_ROOT, "/"}};
	const char *inside = file_path_inside(s->tid, s->path);
	const char *slash = strrchr(inside, '/');
	size_t dir_len = slash ? (size_t)(slash - inside) : 0;

	for (size_t i = 0; i < ARRAY_LEN(form); i++) {
		strbuf_reset(path);
		strbuf_puts(path, form[i][0]);
		strbuf_add(path, inside, dir_len);
		strbuf_puts(path, form[i][1]);
		strbuf_puts(path, name);
		if (try_path(s, s->tid, path->data, out))
			return true;
	}
	/* containers rarely have the debug files of their libraries; this system may */
	if (try_path(s, 0, path->data, out))
		return true;
	if (inside == s->path)
		return false;
	strbuf_reset(path);
	strbuf_printf(path, DEBUG_ROOT "%.*s%s",
		      (int)(strrchr(s->path, '/') + 1 - s->path), s->path, name);
	return try_path(s, 0, path->data, out);
}

bool debugfile_open(const struct elf_file *f, int tid, const char *path,
		    struct elf_file *out, char **found)
{
	struct search s = {.tid = tid, .path = path};
	struct strbuf name = {0};
	char *link = elf_debuglink(f, &s.crc);
	bool is_found;

	s.id_len = elf_build_id(f, s.id);
	s.has_crc = link != NULL;
	is_found = search_build_id(&s, out, &name) ||
		   (link && search_debuglink(&s, link, out, &name));
	free(link);
	*found = is_found ? name.data : NULL;
	if (!is_found)
		strbuf_release(&name);
	return is_found;
}

/* The section holds a path, a zero, and the build-id that the file must have. */
int debugfile_open_shared(const struct elf_file *f, int tid, struct elf_file *out,
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
		rc = elf_open_shared(out, fd, text, e);
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

static int open_entries(int tid, const char *path, struct elf_file *out, struct err *e)
{
	int fd, rc;

	rc = tid ? file_open_in_root(tid, path, &fd, e) : file_open(path, &fd, e);
	return rc ? rc : elf_open_shared(out, fd, path, e);
}

static int open_in(int tid, const struct strbuf *folder, const char *name,
		   struct elf_file *out, struct err *e)
{
	struct strbuf path = {0};
	int rc;

	strbuf_add(&path, folder->data, folder->len);
	if (*name != '/')
		strbuf_putc(&path, '/');
	strbuf_puts(&path, name);
	rc = open_entries(tid, path.data, out, e);
	strbuf_release(&path);
	return rc;
}

/* The places that package_name says, each in both roots but the first. */
static bool name_package(const struct package_name *n, unsigned number,
			 const char *program, struct strbuf *path)
{
	static const char suffix[] = ".debug";
	size_t len = n->debug ? strlen(n->debug) : 0, end = strlen(suffix);

	switch ((number + 1) / 2) {
	case 0:
		strbuf_puts(path, program);
		break;
	case 1:
		strbuf_add(path, n->debug, len);
		break;
	case 2:
		if (len > end && strcmp(n->debug + len - end, suffix) == 0)
			strbuf_add(path, n->debug, len - end);
		break;
	case 3:
		strbuf_printf(path, DEBUG_ROOT "%s", program);
		break;
	}
	if (!path->len)
		return false;
	strbuf_puts(path, ".dwp");
	return true;
}

int debugfile_open_package(const struct package_name *n, unsigned number,
			   struct elf_file *out, struct err *e)
{
	const bool is_own_root = number && number % 2 == 0;
	const char *program =
		is_own_root ? n->program : file_path_inside(n->tid, n->program);
	struct strbuf path = {0};
	int rc;

	if (name_package(n, number, program, &path) && (n->tid || !is_own_root))
		rc = open_entries(is_own_root ? 0 : n->tid, path.data, out, e);
	else
		rc = err_set(e, STATUS_NOENT, "there is no such place");
	strbuf_release(&path);
	return rc;
}

int debugfile_open_split(const struct split_name *n, struct elf_file *out,
			 struct err *e)
{
	const char *program = file_path_inside(n->tid, n->program);
	const char *slash = strrchr(program, '/'), *last = strrchr(n->name, '/');
	struct strbuf none = {0}, beside = {0}, folder = {0};
	bool is_absolute = *n->name == '/';
	struct err ignored;
	int rc = STATUS_NOENT;

	if (slash)
		strbuf_add(&beside, program, (size_t)(slash - program));
	if (n->folder && *n->folder == '/')
		strbuf_puts(&folder, n->folder);
	if (is_absolute)
		rc = open_in(n->tid, &none, n->name, out, e);
	else if (slash)
		rc = open_in(n->tid, &beside, n->name, out, e);
	if (rc == STATUS_NOENT && !is_absolute && folder.len)
		rc = open_in(n->tid, &folder, n->name, out, e);
	if (rc == STATUS_NOENT && last && slash &&
	    open_in(n->tid, &beside, last + 1, out, &ignored) == 0)
		rc = 0;
	if (rc == STATUS_NOENT)
		err_set(e, rc, "cannot open '%s'", n->name);
	strbuf_release(&beside);
	strbuf_release(&folder);
	return rc;
}
