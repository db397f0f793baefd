/* SPDX-License-Identifier: MIT */
/*
 * D libraries: every *.d file of the system's directory and of the directories of -L,
 * in the order of directories and names, but after the files that "#pragma D depends_on
 * library" names. These pragmas are read before any file is compiled. A file that
 * depends on a provider or an object that does not exist is left out silently.
 */
#include "tracer/base/installed.h"
#include "tracer/source.h"
#include "tracer/targets/target.h"
#include "tracer/trace.h"
#include "vm/base/host/log.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\v\f\r"

/* #pragma D depends_on class name */
struct depend {
	char class[16], name[256];
	uint32_t line;
};

struct library {
	char *path;
	const char *name; /* the last part of path */
	struct strbuf text;
	struct {
		struct depend *data;
		size_t len, cap;
	} depends;
	enum { WAITING, VISITED, DONE } state;
};

struct libraries {
	struct tracer *t;
	const struct trace_program *program; /* the program for which they are loaded */
	struct {
		struct library *data;
		size_t len, cap;
	} list;
};

/* ---- messages, as of the program that is being compiled ---- */

static int complain(struct libraries *ls, const char *tag, const char *path,
		    uint32_t line, const char *text)
{
	const struct trace_program *p = ls->program;
	const char *what = p->kind == TRACER_SCRIPT ? "failed to compile script"
						    : "invalid probe specifier";
	struct strbuf place = {0};

	if (p->kind == TRACER_SCRIPT || !dlang_is_long(p->text))
		strbuf_printf(&place, " %s", p->text);
	strbuf_puts(&place, ": ");
	if (ls->t->options.errtags)
		strbuf_printf(&place, "[%s] ", tag);
	strbuf_printf(&place, "\"%s\"", path);
	if (line)
		strbuf_printf(&place, ", line %u", line);
	out_message(ls->t->out, "%s%s: %s", what, place.data, text);
	strbuf_release(&place);
	return -1;
}

/* ---- the pragmas of a text ---- */

static size_t copy_word(const char *s, char *out, size_t cap)
{
	size_t n = strcspn(s, BLANKS "\n");

	out[0] = '\0';
	if (n < cap) {
		memcpy(out, s, n);
		out[n] = '\0';
	}
	return n;
}

/* Copies the next word of the line at *p and moves *p after it. */
static bool take_word(const char **p, char *out, size_t cap)
{
	*p += strspn(*p, BLANKS);
	*p += copy_word(*p, out, cap);
	return out[0] != '\0';
}

static void read_control_line(struct library *l, const char *p, uint32_t *line)
{
	static const char *const head[] = {"pragma", "D", "depends_on"};
	struct depend v = {.line = *line};
	char word[16];

	p++; /* # */
	for (size_t i = 0; i < ARRAY_LEN(head); i++) {
		if (!take_word(&p, word, sizeof(word)))
			return;
		/* "# N": the number of the next line */
		if (i == 0 && word[0] >= '0' && word[0] <= '9')
			*line = (uint32_t)strtoul(word, NULL, 10) - 1;
		if (strcmp(word, head[i]) != 0)
			return;
	}
	/* the compiler will report errors in the rest */
	if (take_word(&p, v.class, sizeof(v.class)) &&
	    take_word(&p, v.name, sizeof(v.name)))
		*vec_push(&l->depends) = v;
}

/* Whether a comment is open after the line. */
static bool skip_line(const char **p, bool in_comment)
{
	const char *s = *p;

	for (; *s && *s != '\n'; s++) {
		if (!in_comment && s[0] == '/' && s[1] == '*') {
			in_comment = true;
			s++;
		} else if (in_comment && s[0] == '*' && s[1] == '/') {
			in_comment = false;
			s++;
		}
	}
	*p = *s ? s + 1 : s;
	return in_comment;
}

static void read_depends(struct library *l)
{
	const char *p = l->text.data;
	bool in_comment = false;

	for (uint32_t line = 1; *p; line++) {
		const char *first = p + strspn(p, BLANKS);

		if (!in_comment && *first == '#')
			read_control_line(l, first, &line);
		in_comment = skip_line(&p, in_comment);
	}
}

/* ---- finding the files ---- */

static struct library *find(struct libraries *ls, const char *name)
{
	for (size_t i = 0; i < ls->list.len; i++)
		if (strcmp(ls->list.data[i].name, name) == 0)
			return &ls->list.data[i];
	return NULL;
}

static int add_file(struct libraries *ls, const char *dir, const char *name)
{
	struct library l = {0};
	struct strbuf path = {0};
	struct err e;

	if (find(ls, name))
		return 0;
	strbuf_printf(&path, "%s/%s", dir, name);
	l.path = path.data;
	l.name = strrchr(l.path, '/') + 1;
	if (source_read(ls->t, l.path, &l.text, &e)) {
		complain(ls, "D_UNKNOWN", l.path, 0, e.text);
		strbuf_release(&l.text);
		free(l.path);
		return -1;
	}
	read_depends(&l);
	*vec_push(&ls->list) = l;
	return 0;
}

static int is_library(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return n > 2 && strcmp(entry->d_name + n - 2, ".d") == 0 &&
	       entry->d_name[0] != '.';
}

/* is_asked: the user named the directory, so it must exist. */
static int add_directory(struct libraries *ls, const char *dir, bool is_asked)
{
	struct dirent **entries;
	int n = scandir(dir, &entries, is_library, alphasort), rc = 0;

	if (n < 0 && !is_asked)
		return 0;
	if (n < 0)
		return complain(ls, "D_UNKNOWN", dir, 0, strerror(errno));
	for (int i = 0; i < n; i++) {
		if (rc == 0)
			rc = add_file(ls, dir, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return rc;
}

static int add_all(struct libraries *ls)
{
	const struct options *o = &ls->t->options;
	char standard[PATH_MAX];
	int rc = 0;

	if (o->syslibdir && *o->syslibdir)
		rc = add_directory(ls, o->syslibdir, false);
	else if (!o->syslibdir &&
		 installed_path("../lib/dtrace", standard, sizeof(standard)))
		rc = add_directory(ls, standard, false);
	for (size_t i = 0; i < o->words.len && rc == 0; i++)
		if (strcmp(o->words.data[i].name, "libdir") == 0)
			rc = add_directory(ls, o->words.data[i].text, true);
	return rc;
}

/* ---- order ---- */

static bool has_provider(const struct tracer *t, const char *name)
{
	for (size_t i = 0; i < t->nproviders; i++)
		if (strcmp(t->providers[i]->name, name) == 0)
			return true;
	return false;
}

static bool has_module(const struct tracer *t, const char *name)
{
	for (size_t i = 0; i < t->targets.len; i++) {
		const struct modules *ms = t->targets.data[i]->modules;

		for (size_t k = 0; ms && k < ms->len; k++)
			if (strcmp(ms->data[k]->name, name) == 0)
				return true;
	}
	return false;
}

bool library_has(void *ctx, const char *class, const char *name)
{
	const struct tracer *t = ctx;

	if (strcmp(class, "provider") == 0)
		return has_provider(t, name);
	return strcmp(class, "module") == 0 && has_module(t, name);
}

static bool is_wanted(struct tracer *t, const struct library *l)
{
	for (size_t i = 0; i < l->depends.len; i++) {
		const struct depend *v = &l->depends.data[i];
		bool is_asked = strcmp(v->class, "provider") == 0 ||
				strcmp(v->class, "module") == 0;

		if (is_asked && !library_has(t, v->class, v->name))
			return false;
	}
	return true;
}

static int compile(struct libraries *ls, struct library *l)
{
	struct dlang_source src = {
		.text = l->text.data,
		.name = ls->program->text,
		.library = l->path,
		.arg0 = l->path,
		.is_file = ls->program->kind == TRACER_SCRIPT,
	};
	struct strbuf messages = {0};
	struct dlang_program made;
	int rc = dlang_compile(ls->t->dlang, &src, &made, &messages);

	if (rc)
		trace_diagnostics(ls->t, &messages);
	strbuf_release(&messages);
	return rc;
}

/* Compiles what l depends on, then l. The depth is that of a chain of files. */
static int load(struct libraries *ls, struct library *l)
{
	struct strbuf text = {0};
	int rc = 0;

	if (l->state == DONE)
		return 0;
	l->state = VISITED;
	for (size_t i = 0; i < l->depends.len && rc == 0; i++) {
		const struct depend *v = &l->depends.data[i];
		struct library *other = find(ls, v->name);

		if (strcmp(v->class, "library") != 0)
			continue;
		strbuf_reset(&text);
		if (!other)
			strbuf_printf(&text,
				      "library %s, which this one depends on, is "
				      "not there",
				      v->name);
		else if (other->state == VISITED)
			strbuf_printf(&text,
				      "library %s depends on itself: cyclic "
				      "dependency",
				      v->name);
		rc = text.len ? complain(ls, "D_PRAGMA_DEPEND", l->path, v->line,
					 text.data)
			      : load(ls, other);
	}
	strbuf_release(&text);
	l->state = DONE;
	if (rc == 0 && is_wanted(ls->t, l))
		rc = compile(ls, l);
	return rc;
}

int library_load(struct tracer *t, const struct trace_program *program)
{
	struct libraries ls = {.t = t, .program = program};
	int rc = 0;

	if (t->options.nolibs || t->programs->has_libraries)
		return 0;
	t->programs->has_libraries = true;
	rc = add_all(&ls);
	for (size_t i = 0; i < ls.list.len && rc == 0; i++)
		rc = load(&ls, &ls.list.data[i]);
	for (size_t i = 0; i < ls.list.len; i++) {
		free(ls.list.data[i].path);
		strbuf_release(&ls.list.data[i].text);
		vec_release(&ls.list.data[i].depends);
	}
	vec_release(&ls.list);
	return rc ? -1 : 0;
}
