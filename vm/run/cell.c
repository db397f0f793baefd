/* SPDX-License-Identifier: MIT */
#include "vm/run/cell.h"
#include "vm/base/bytes.h"
#include "vm/program.h"

static bool transfer_piece(unsigned char *at, unsigned char *buf, uint32_t n,
			   enum transfer how)
{
	if (how == TRANSFER_COMPARE)
		return bytes_compare(at, buf, n) == 0;
	if (how == TRANSFER_PUT)
		bytes_copy(at, buf, n);
	else if (how == TRANSFER_ZERO)
		bytes_zero(at, n);
	else
		bytes_copy(buf, at, n);
	return true;
}

/* Between an element's data and buf (not ZERO); false: it is cut off, or differs. */
bool cell_transfer(const struct state *s, struct stretch x, void *buf,
		   enum transfer how)
{
	unsigned char *data = x.cell->u.head.data;
	uint32_t room = CELL_HEAD_DATA, done = 0;

	for (;;) {
		uint32_t n = 0;

		if (x.from < room) {
			n = (uint32_t)min_u64(room - x.from, x.n);
			if (!transfer_piece(data + x.from,
					    buf ? (unsigned char *)buf + done : NULL, n,
					    how))
				return false;
			x.from = room;
		}
		done += n;
		x.n -= n;
		x.from -= room;
		if (x.n == 0)
			return true;
		x.cell = cell_at(s, cell_link(&x.cell->more));
		if (!x.cell)
			return false;
		data = x.cell->u.data;
		room = CELL_MORE_DATA;
	}
}

static bool is_match(const struct state *s, struct cell *c, const struct dynkey *k)
{
	struct stretch key = {c, 0, k->size};

	return c->u.head.hash == k->hash && c->u.head.var == k->var &&
	       c->u.head.thread == k->thread && c->u.head.key_size == k->size &&
	       cell_transfer(s, key, (void *)(uintptr_t)k->bytes, TRANSFER_COMPARE);
}

/* The element's cell or NULL; *link is the word that leads to it, or the bucket. */
struct cell *cell_find(const struct state *s, const struct dynkey *k,
		       _Atomic uint32_t **link)
{
	_Atomic uint32_t *from = cell_bucket(s, k->bucket);

	*link = from;
	for (uint32_t i = 0; i < CHAIN_MAX; i++) {
		struct cell *c = cell_at(s, cell_link(from));

		if (!c)
			return NULL;
		if (is_match(s, c, k)) {
			*link = from;
			return c;
		}
		from = &c->next;
	}
	return NULL;
}

/* How many cells the element has; no more than the largest one. */
uint32_t cell_count(const struct cell *c)
{
	uint64_t bytes = (uint64_t)c->u.head.key_size + cell_value_len(c);

	return cells_for(min_u64(bytes, TUPLE_BYTES + PROGRAM_STRSIZE_MAX));
}

/* Gives n cells of an unlinked element back. */
static void free_cells(struct state *s, uint32_t link, uint32_t n)
{
	struct freelist_items items = layout_cells(s);
	struct cell *c = cell_at(s, link);

	while (c && n--) {
		uint32_t more = cell_link(&c->more);

		freelist_give(&layout_variables(s)->cells, &items, link - 1);
		link = more;
		c = cell_at(s, link);
	}
}

/* n chained cells, as the link to the first; 0 when there are not enough. */
static uint32_t take_cells(struct state *s, uint32_t n)
{
	struct freelist_items items = layout_cells(s);
	uint32_t link = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t index = freelist_take(&layout_variables(s)->cells, &items);

		if (index == FREELIST_NONE) {
			free_cells(s, link, i);
			return 0;
		}
		atomic_store_explicit(&cell_at(s, index + 1)->more, link,
				      memory_order_relaxed);
		link = index + 1;
	}
	return link;
}

uint64_t cell_spare_most(const struct state *s)
{
	const uint64_t share = 16384, most = 4096;

	return min_u64(s->config.dynvarsize / share, most);
}

/* Counts an element; false: there is no room for it. */
bool cell_take_room(struct state *s, const struct dynkey *k)
{
	_Atomic uint64_t *all = &layout_variables(s)->nominal;
	uint64_t n = k->nominal, before;

	if (k->slot->spare_nominal >= n) {
		k->slot->spare_nominal -= n;
		return true;
	}
	before = atomic_fetch_add_explicit(all, n, memory_order_relaxed);
	if (before + n <= s->config.dynvarsize)
		return true;
	atomic_fetch_sub_explicit(all, n, memory_order_relaxed);
	return false;
}

void cell_give_to_all(struct state *s, uint64_t n)
{
	atomic_fetch_sub_explicit(&layout_variables(s)->nominal, n,
				  memory_order_relaxed);
}

void cell_give_room(struct state *s, const struct dynkey *k)
{
	if (k->slot->spare_nominal + k->nominal <= cell_spare_most(s))
		k->slot->spare_nominal += k->nominal;
	else
		cell_give_to_all(s, k->nominal);
}

/* A complete element in front of next; its link, or 0 for no room. */
uint32_t cell_make(struct state *s, const struct dynkey *k, const struct dynvalue *v,
		   uint32_t next)
{
	uint32_t link = take_cells(s, cells_for((uint64_t)k->size + v->len));
	struct cell *c = cell_at(s, link);

	if (!c)
		return 0;
	c->u.head.thread = k->thread;
	c->u.head.hash = k->hash;
	c->u.head.var = k->var;
	c->u.head.key_size = k->size;
	c->u.head.value_len = v->len;
	cell_transfer(s, (struct stretch){c, 0, k->size}, (void *)(uintptr_t)k->bytes,
		      TRANSFER_PUT);
	cell_transfer(s, (struct stretch){c, k->size, v->len},
		      (void *)(uintptr_t)v->bytes,
		      v->bytes ? TRANSFER_PUT : TRANSFER_ZERO);
	atomic_store_explicit(&c->next, next, memory_order_relaxed);
	return link;
}

/* Another element, counted; its link, or 0 for no room. */
uint32_t cell_add(struct state *s, const struct dynkey *k, const struct dynvalue *v,
		  uint32_t next)
{
	uint32_t link;

	if (!cell_take_room(s, k))
		return 0;
	link = cell_make(s, k, v, next);
	if (!link)
		cell_give_room(s, k);
	return link;
}

void cell_unlink(struct state *s, _Atomic uint32_t *link, struct cell *c)
{
	uint32_t old = cell_link(link), n = cell_count(c);

	atomic_store_explicit(link, cell_link(&c->next), memory_order_release);
	free_cells(s, old, n);
}

/* Overwrites where the new value needs as many cells; false: no room. */
bool cell_put(struct state *s, const struct dynkey *k, const struct dynvalue *v)
{
	_Atomic uint32_t *link;
	struct cell *c = cell_find(s, k, &link);
	uint32_t old = cell_link(link), made;

	if (!v->bytes) {
		if (c) {
			cell_unlink(s, link, c);
			cell_give_room(s, k);
		}
		return true;
	}
	if (c && cells_for((uint64_t)k->size + c->u.head.value_len) ==
			 cells_for((uint64_t)k->size + v->len)) {
		c->u.head.value_len = v->len;
		return cell_transfer(s, (struct stretch){c, k->size, v->len},
				     (void *)(uintptr_t)v->bytes, TRANSFER_PUT);
	}
	made = c ? cell_make(s, k, v, cell_link(&c->next)) : cell_add(s, k, v, old);
	if (!made)
		return false;
	atomic_store_explicit(link, made, memory_order_release);
	if (c)
		free_cells(s, old, cell_count(c));
	return true;
}
