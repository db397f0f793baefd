/* SPDX-License-Identifier: MIT */
#include "tracer/recording/read/tracing_data.h"
#include "vm/base/bytes.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FORMATS_MAX 65536
#define NAME_BYTES  256

static const unsigned char magic[] = {23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g'};

struct parsing {
	struct tracing_data *to;
	const unsigned char *bytes;
	size_t at, n;
	struct err *e;
};

void tracing_data_release(struct tracing_data *d)
{
	for (size_t i = 0; i < d->list.len; i++) {
		free(d->list.data[i].system);
		free(d->list.data[i].name);
	}
	vec_release(&d->list);
	map_release(&d->by_id);
	free(d->bytes);
	d->bytes = NULL;
}

static int bad(struct parsing *p)
{
	return err_set(p->e, STATUS_BADFMT,
		       "the formats of the events are damaged, at byte %zu of them",
		       p->at);
}

static int take_number(struct parsing *p, size_t size, uint64_t *out)
{
	if (p->n - p->at < size)
		return bad(p);
	*out = bytes_load(p->bytes + p->at, size);
	p->at += size;
	return 0;
}

static int take_text(struct parsing *p, const char **out)
{
	const unsigned char *from = p->bytes + p->at;
	const unsigned char *end = memchr(from, '\0', p->n - p->at);

	if (!end)
		return bad(p);
	*out = (const char *)from;
	p->at += (size_t)(end - from) + 1;
	return 0;
}

/* A file: its size, of that many bytes, and its content. */
static int take_file(struct parsing *p, size_t size, const char **out, uint64_t *n)
{
	int rc = take_number(p, size, n);

	if (rc)
		return rc;
	if (*n > p->n - p->at)
		return bad(p);
	*out = (const char *)p->bytes + p->at;
	p->at += (size_t)*n;
	return 0;
}

/* The word after a label at the start of a line, "name: "; its length. */
static size_t find_word(const char *text, size_t n, const char *label, const char **out)
{
	size_t length = strlen(label), i = 0;

	while (i < n) {
		const char *line = text + i;
		const char *end = memchr(line, '\n', n - i);
		size_t len = end ? (size_t)(end - line) : n - i;

		if (len > length && memcmp(line, label, length) == 0) {
			*out = line + length;
			return len - length;
		}
		i += len + 1;
	}
	return 0;
}

static char *copy_word(const char *from, size_t n)
{
	char *copy = oom_calloc(1, n + 1);

	return memcpy(copy, from, n);
}

/* One without a name or a number is left out. */
static int add_format(struct parsing *p, const char *system, const char *text, size_t n)
{
	struct recorded_format f = {.text = text, .n = n};
	const char *name = NULL, *number = NULL;
	size_t len = find_word(text, n, "name: ", &name);
	size_t digits = find_word(text, n, "ID: ", &number);
	char id[16] = "";

	if (!len || len >= NAME_BYTES || !digits || digits >= sizeof(id) ||
	    memchr(name, '\0', len))
		return 0;
	if (p->to->list.len >= FORMATS_MAX)
		return bad(p);
	memcpy(id, number, digits);
	f.id = (uint32_t)strtoul(id, NULL, 10);
	f.system = copy_word(system, strnlen(system, NAME_BYTES));
	f.name = copy_word(name, len);
	*vec_push(&p->to->list) = f;
	map_set(&p->to->by_id, f.id, p->to->list.len);
	return 0;
}

static int take_files(struct parsing *p, const char *system)
{
	uint64_t count = 0, n = 0;
	const char *text = NULL;
	int rc = take_number(p, 4, &count);

	for (uint64_t i = 0; i < count && rc == 0; i++) {
		rc = take_file(p, 8, &text, &n);
		if (rc == 0 && system)
			rc = add_format(p, system, text, (size_t)n);
	}
	return rc;
}

static int take_systems(struct parsing *p)
{
	uint64_t count = 0;
	const char *system = NULL;
	int rc = take_number(p, 4, &count);

	for (uint64_t i = 0; i < count && rc == 0; i++) {
		rc = take_text(p, &system);
		if (rc == 0)
			rc = take_files(p, system);
	}
	return rc;
}

/* Byte order, size of a long, size of a page. */
static int take_machine(struct parsing *p)
{
	uint64_t is_big = 0, size = 0, page;

	if (take_number(p, 1, &is_big) || take_number(p, 1, &size) ||
	    take_number(p, 4, &page))
		return STATUS_BADFMT;
	if (is_big || size != 8)
		return err_set(p->e, STATUS_UNSUP,
			       "the recording is of a machine of another kind");
	return 0;
}

static int parse(struct parsing *p)
{
	const char *text = NULL;
	uint64_t n = 0;
	int rc;

	if (p->n < sizeof(magic) || memcmp(p->bytes, magic, sizeof(magic)) != 0)
		return bad(p);
	p->at = sizeof(magic);
	rc = take_text(p, &text); /* the version */
	if (rc == 0)
		rc = take_machine(p);
	for (int i = 0; i < 2 && rc == 0; i++) { /* header_page, header_event */
		rc = take_text(p, &text);
		if (rc == 0)
			rc = take_file(p, 8, &text, &n);
	}
	if (rc == 0)
		rc = take_files(p, NULL); /* of ftrace itself */
	return rc ? rc : take_systems(p); /* what follows is not used */
}

int tracing_data_parse(struct tracing_data *d, unsigned char *bytes, size_t n,
		       struct err *e)
{
	struct parsing p = {.to = d, .bytes = bytes, .n = n, .e = e};

	tracing_data_release(d);
	*d = (struct tracing_data){.bytes = bytes};
	return parse(&p);
}

const struct recorded_format *tracing_data_find(const struct tracing_data *d,
						uint64_t id)
{
	uint64_t place;

	return map_get(&d->by_id, id, &place) ? &d->list.data[place - 1] : NULL;
}
