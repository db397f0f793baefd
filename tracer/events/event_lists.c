/* SPDX-License-Identifier: MIT */
#include "tracer/events/event_lists.h"
#include "tracer/base/installed.h"
#include "vm/base/host/glob.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INSTALLED "../lib/dtrace/events.lists"
#define BYTES_MAX (1u << 20)
#define LEVEL_MAX 5
#define BLANKS	  " \t\r"
#define NAME                                                                           \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"                         \
	"0123456789_-"

struct list {
	char *name;	/* of a keyword, or of a level */
	uint32_t level; /* 0: a keyword */
	uint32_t file;
	bool is_chosen; /* a keyword */
	struct {
		struct pattern {
			char *system, *event; /* event NULL: all */
		} * data;
		size_t len, cap;
	} patterns;
};

struct event_lists {
	struct {
		struct list *data;
		size_t len, cap;
	} lists;
	uint32_t nfiles;
	bool has_keywords; /* some are chosen */
	uint32_t level;
};

static void release_list(struct list *l)
{
	for (size_t i = 0; i < l->patterns.len; i++) {
		free(l->patterns.data[i].system);
		free(l->patterns.data[i].event);
	}
	vec_release(&l->patterns);
	free(l->name);
}

struct event_lists *event_lists_new(void)
{
	struct event_lists *v = oom_calloc(1, sizeof(*v));

	v->level = LEVEL_MAX;
	return v;
}

void event_lists_free(struct event_lists *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->lists.len; i++)
		release_list(&v->lists.data[i]);
	vec_release(&v->lists);
	free(v);
}

/* ---- reading ---- */

/* A line of a file, of which words are taken. */
struct line {
	const char *path;
	uint32_t number;
	char *rest;
};

static int refuse(const struct line *line, struct err *e, const char *text)
{
	return err_set(e, STATUS_SYNTAX, "%s:%u: %s", line->path, line->number, text);
}

/* The next word, terminated; NULL: there is none. */
static char *take_word(struct line *line)
{
	char *word = line->rest + strspn(line->rest, BLANKS);
	size_t n = strcspn(word, BLANKS);

	if (!n)
		return NULL;
	line->rest = word + n + (word[n] != '\0');
	word[n] = '\0';
	return word;
}

/* A number or a name; 0: it is no level. */
static uint32_t level_of(const char *word)
{
	static const char names[] = EVENT_LEVELS;
	uint32_t level = 1;

	if (word[0] >= '1' && word[0] <= '0' + LEVEL_MAX && !word[1])
		return (uint32_t)(word[0] - '0');
	for (const char *p = names; *p; level++) {
		size_t n = strcspn(p, " ");

		if (strlen(word) == n && strncmp(p, word, n) == 0)
			return level;
		p += n + (p[n] == ' ');
	}
	return 0;
}

static struct list *find_list(struct event_lists *v, const char *name, uint32_t level)
{
	for (size_t i = 0; i < v->lists.len; i++) {
		struct list *l = &v->lists.data[i];

		if (level ? l->level == level : !l->level && strcmp(l->name, name) == 0)
			return l;
	}
	return NULL;
}

/* The list of this name, without what another file says. */
static struct list *open_list(struct event_lists *v, const char *name, uint32_t level)
{
	struct list *l = find_list(v, name, level);

	if (l && l->file == v->nfiles)
		return l;
	if (l)
		release_list(l);
	else
		l = vec_push(&v->lists);
	*l = (struct list){.name = oom_strdup(name), .level = level, .file = v->nfiles};
	return l;
}

static int add_pattern(struct list *l, const struct line *line, const char *word,
		       struct err *e)
{
	const char *colon = strchr(word, ':');
	size_t n = colon ? (size_t)(colon - word) : strlen(word);
	struct pattern p = {0};

	if (n == 0 || (colon && (!colon[1] || strchr(colon + 1, ':'))))
		return refuse(line, e, "a pattern is SYSTEM or SYSTEM:EVENT");
	p.system = oom_strdup(word);
	p.system[n] = '\0';
	p.event = colon ? oom_strdup(colon + 1) : NULL;
	*vec_push(&l->patterns) = p;
	return 0;
}

/* keyword NAME: PATTERN ... or level NAME: PATTERN ... */
static int read_line(struct event_lists *v, struct line *line, struct err *e)
{
	const char *kind = take_word(line);
	char *name = kind ? take_word(line) : NULL, *word;
	size_t n = name ? strspn(name, NAME) : 0;
	uint32_t level = 0;
	struct list *l;
	int rc = 0;

	if (!kind || *kind == '#')
		return 0;
	if ((strcmp(kind, "keyword") != 0 && strcmp(kind, "level") != 0) || !n ||
	    strcmp(name + n, ":") != 0)
		return refuse(line, e,
			      "a line is 'keyword NAME: PATTERN ...' or 'level NAME: "
			      "PATTERN ...'");
	name[n] = '\0';
	if (*kind == 'l' && !(level = level_of(name)))
		return refuse(line, e, "the levels are " EVENT_LEVELS);
	l = open_list(v, name, level);
	while (rc == 0 && (word = take_word(line)))
		rc = add_pattern(l, line, word, e);
	return rc;
}

static int read_text(struct event_lists *v, const char *path, char *text, struct err *e)
{
	struct line line = {.path = path};
	char *next;
	int rc = 0;

	v->nfiles++;
	for (; text && rc == 0; text = next) {
		next = strchr(text, '\n');
		if (next)
			*next++ = '\0';
		line.number++;
		line.rest = text;
		rc = read_line(v, &line, e);
	}
	return rc;
}

/* The whole file, terminated. */
static int read_file(const char *path, struct strbuf *text, struct err *e)
{
	FILE *file = fopen(path, "re");
	char bytes[4096];
	bool has_failed;
	size_t n;

	if (!file)
		return err_errno(e, errno == ENOENT ? STATUS_NOENT : STATUS_IO,
				 "cannot read '%s'", path);
	strbuf_puts(text, "");
	while (text->len <= BYTES_MAX && (n = fread(bytes, 1, sizeof(bytes), file)) > 0)
		strbuf_add(text, bytes, n);
	has_failed = ferror(file);
	if (has_failed)
		err_errno(e, STATUS_IO, "cannot read '%s'", path);
	fclose(file);
	if (has_failed)
		return STATUS_IO;
	if (text->len > BYTES_MAX)
		return err_set(e, STATUS_LIMIT,
			       "'%s' is larger than 1 MB, which no list needs", path);
	if (strlen(text->data) != text->len)
		return err_set(e, STATUS_SYNTAX, "'%s' is no text", path);
	return 0;
}

int event_lists_read(struct event_lists *v, const char *path, struct err *e)
{
	struct strbuf text = {0};
	int rc = read_file(path, &text, e);

	if (rc == 0)
		rc = read_text(v, path, text.data, e);
	strbuf_release(&text);
	return rc;
}

/* ---- choosing ---- */

static int no_keyword(const struct event_lists *v, const char *word, struct err *e)
{
	struct strbuf all = {0};
	int rc;

	strbuf_puts(&all, "");
	for (size_t i = 0; i < v->lists.len; i++)
		if (!v->lists.data[i].level)
			strbuf_printf(&all, "%s%s", all.len ? ", " : "",
				      v->lists.data[i].name);
	rc = err_set(e, STATUS_INVAL, "there is no keyword '%s'; there are %s", word,
		     all.len ? all.data : "none");
	strbuf_release(&all);
	return rc;
}

static int choose_keywords(struct event_lists *v, const char *keywords, struct err *e)
{
	char *copy = oom_strdup(keywords), *rest = copy, *word;
	int rc = 0;

	while (rc == 0 && (word = strsep(&rest, ","))) {
		struct list *l = find_list(v, word, 0);

		if (l)
			l->is_chosen = v->has_keywords = true;
		else
			rc = no_keyword(v, word, e);
	}
	free(copy);
	return rc;
}

int event_lists_choose(struct event_lists *v, const char *keywords, const char *level,
		       struct err *e)
{
	if (level) {
		v->level = level_of(level);
		if (!v->level)
			return err_set(e, STATUS_INVAL,
				       "there is no level '%s'; there are " EVENT_LEVELS
				       ", or 1 to 5",
				       level);
	}
	return keywords ? choose_keywords(v, keywords, e) : 0;
}

static bool is_in(const struct list *l, const char *system, const char *event)
{
	for (size_t i = 0; i < l->patterns.len; i++) {
		const struct pattern *p = &l->patterns.data[i];

		if (glob_match(p->system, system) &&
		    (!p->event || glob_match(p->event, event)))
			return true;
	}
	return false;
}

bool event_lists_has(const struct event_lists *v, const char *system, const char *event)
{
	uint32_t level = LEVEL_MAX;
	bool has_keyword = !v->has_keywords;

	for (size_t i = 0; i < v->lists.len; i++) {
		const struct list *l = &v->lists.data[i];

		if (l->level ? l->level >= level : has_keyword || !l->is_chosen)
			continue;
		if (!is_in(l, system, event))
			continue;
		if (l->level)
			level = l->level;
		else
			has_keyword = true;
	}
	return has_keyword && level <= v->level;
}

int event_lists_open(const struct options *o, struct event_lists **out, struct err *e)
{
	struct event_lists *v;
	char path[PATH_MAX];
	int rc;

	*out = NULL;
	if (!o->keyword && !o->level)
		return 0;
	v = event_lists_new();
	rc = installed_path(INSTALLED, path, sizeof(path))
		     ? event_lists_read(v, path, e)
		     : err_set(e, STATUS_NOENT, "the place of dtrace is not known");
	if (rc == STATUS_NOENT && o->eventlists)
		rc = 0;
	if (rc == 0 && o->eventlists)
		rc = event_lists_read(v, o->eventlists, e);
	if (rc == 0)
		rc = event_lists_choose(v, o->keyword, o->level, e);
	if (rc)
		event_lists_free(v);
	else
		*out = v;
	return rc;
}
