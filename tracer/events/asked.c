/* SPDX-License-Identifier: MIT */
#include "tracer/events/asked.h"
#include "tracer/events/event_format.h"

#define JOURNAL_MAX 32768 /* bytes: both it and the event fit into one record */

/* ---- to a recording ---- */

void asked_release(struct asked *a)
{
	strbuf_release(&a->journal);
}

void asked_begin(struct asked *a)
{
	strbuf_reset(&a->journal);
}

static bool has(const struct asked *a, enum journal_kind kind, uint64_t key, size_t n)
{
	struct journal_entry e;
	const unsigned char *bytes;
	size_t at = 0;

	while (journal_next((const unsigned char *)a->journal.data, a->journal.len, &at,
			    &e, &bytes))
		if (e.kind == (uint32_t)kind && e.key == key && e.size >= n)
			return true;
	return false;
}

void asked_add(struct asked *a, enum journal_kind kind, uint64_t key, const void *bytes,
	       size_t n)
{
	const struct journal_entry e = {(uint32_t)kind, (uint32_t)n, key};

	if (!a->is_kept || n > JOURNAL_MAX ||
	    a->journal.len + sizeof(e) + align_up(n, 8) > JOURNAL_MAX ||
	    has(a, kind, key, n))
		return;
	strbuf_add(&a->journal, &e, sizeof(e));
	if (n)
		strbuf_add(&a->journal, bytes, n);
	strbuf_pad(&a->journal, '\0', align_up(n, 8) - n);
}

void asked_add_memory(struct asked *a, uint64_t address, const void *bytes, size_t done,
		      bool has_failed)
{
	if (done)
		asked_add(a, JOURNAL_MEMORY, address, bytes, done);
	if (has_failed)
		asked_add(a, JOURNAL_FAULT, address + done, NULL, 0);
}

/* ---- from a recording ---- */

static int read_format(struct told *t, struct origin *from, struct err *e)
{
	struct strbuf text = {0};
	int rc = from->calls->format(from, ASKED_SYSTEM, ASKED_NAME, &text, e);

	if (rc == 0)
		rc = event_format_parse(text.data ? text.data : "", text.len,
					UINT16_MAX, &t->format, e);
	strbuf_release(&text);
	return rc;
}

int told_open(struct told *t, struct origin *from, uint32_t source, struct err *e)
{
	struct origin_event event = {.system = ASKED_SYSTEM, .name = ASKED_NAME};
	int rc;

	if (!from->is_past || !from->calls->has(from, event.system, event.name))
		return 0;
	rc = read_format(t, from, e);
	if (rc)
		return rc;
	event.id = t->format->id;
	t->source = source;
	return from->calls->add(from, &event, e);
}

void told_release(struct told *t)
{
	event_format_free(t->format);
	strbuf_release(&t->bytes);
}

bool told_take(struct told *t, const struct ring_record *r)
{
	const struct event_field *field;
	const unsigned char *bytes;
	uint32_t n = 0;

	if (!t->format || r->source != t->source)
		return false;
	t->time = r->time;
	t->tid = r->tid;
	strbuf_reset(&t->bytes);
	field = event_format_find(t->format, ASKED_FIELD);
	bytes = field ? event_field_bytes(field, r->bytes, r->n, &n) : NULL;
	if (bytes && n)
		strbuf_add(&t->bytes, bytes, n);
	return true;
}

const struct event_journal *told_of(struct told *t, const struct ring_record *r)
{
	if (!t->bytes.len || t->time != r->time || t->tid != r->tid)
		return NULL;
	t->journal = (struct event_journal){(const unsigned char *)t->bytes.data,
					    (uint32_t)t->bytes.len};
	return &t->journal;
}
