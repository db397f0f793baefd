/* SPDX-License-Identifier: MIT */
#include "tracer/export/connections.h"

#include <sys/socket.h>

#define SECOND	   UINT64_C(1000000000)
#define REQUEST_NS (2 * SECOND)	 /* for the first request */
#define ANSWER_NS  (10 * SECOND) /* to take an answer */
#define REST_NS	   (10 * SECOND) /* for a further request to begin and end */

static struct connection *find_connection(struct connections *cs, int fd)
{
	for (uint32_t i = 0; i < cs->n; i++)
		if (cs->list[i].fd == fd)
			return &cs->list[i];
	return NULL;
}

static void end_connection(struct connection *c)
{
	shutdown(c->fd, SHUT_RDWR);
	c->until = 0;
}

/* Whether a has to go before b. */
static bool goes_first(const struct connection *a, const struct connection *b)
{
	if (a->is_answered != b->is_answered)
		return b->is_answered;
	return a->since < b->since;
}

/* Ends one if there are too many. */
static void make_room(struct connections *cs)
{
	struct connection *first = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < cs->n; i++) {
		struct connection *c = &cs->list[i];

		if (!c->until)
			continue;
		n++;
		if (!first || goes_first(c, first))
			first = c;
	}
	if (n >= CONNECTIONS_MAX)
		end_connection(first);
}

void connections_add(struct connections *cs, int fd, uint64_t now)
{
	make_room(cs);
	if (cs->n < ARRAY_LEN(cs->list))
		cs->list[cs->n++] = (struct connection){
			.fd = fd, .since = now, .until = now + REQUEST_NS};
}

void connections_remove(struct connections *cs, int fd)
{
	struct connection *c = find_connection(cs, fd);

	if (c)
		*c = cs->list[--cs->n];
}

void connections_answer(struct connections *cs, int fd, bool is_on_its_way,
			uint64_t now)
{
	struct connection *c = find_connection(cs, fd);

	if (!c || !c->until)
		return;
	c->since = now;
	c->until = now + (is_on_its_way ? ANSWER_NS : REST_NS);
	c->is_answered = is_on_its_way;
}

uint64_t connections_expire(struct connections *cs, uint64_t now)
{
	uint64_t next = UINT64_MAX;

	for (uint32_t i = 0; i < cs->n; i++) {
		struct connection *c = &cs->list[i];

		if (c->until && c->until <= now)
			end_connection(c);
		if (c->until)
			next = min_u64(next, c->until);
	}
	return next;
}
