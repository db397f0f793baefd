/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/python/words.h"
#include "vm/base/hash.h"
#include "vm/base/host/map.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/secret.h"
#include "vm/base/host/vec.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct python_words {
	struct python_names_file *file;
	uint64_t bytes, used;
	uint64_t seed; /* targets cannot know what has equal hashes */
	struct index index;
	struct {
		uint32_t *data;
		size_t len, cap;
	} places; /* in units of 8 bytes */
};

struct python_words *python_words_open(struct link_memory file, struct err *e)
{
	struct python_words *n;
	void *p = MAP_FAILED;

	if (file.bytes > sizeof(*n->file) && file.bytes <= PYTHON_NAMES_MAX)
		p = mmap(NULL, file.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd,
			 0);
	if (p == MAP_FAILED) {
		err_errno(e, STATUS_NOMEM, "cannot map the names of Python frames");
		return NULL;
	}
	n = oom_calloc(1, sizeof(*n));
	n->file = p;
	n->bytes = file.bytes;
	n->used = sizeof(*n->file);
	n->seed = secret_number();
	return n;
}

void python_words_close(struct python_words *n)
{
	if (!n)
		return;
	munmap(n->file, n->bytes);
	index_release(&n->index);
	vec_release(&n->places);
	free(n);
}

static struct python_name_entry *name_at(const struct python_words *n, uint32_t place)
{
	return (void *)((char *)n->file + (uint64_t)place * 8);
}

/* Where the name is, or 0. */
static uint32_t find(const struct python_words *n, const struct python_name *name,
		     uint64_t hash)
{
	for (uint32_t i = index_first(&n->index, hash); i;
	     i = index_next(&n->index, i)) {
		const struct python_name_entry *x = name_at(n, n->places.data[i - 1]);

		if (x->line == name->line && strcmp(x->text, name->function) == 0 &&
		    strcmp(x->text + x->nfunction + 1, name->file) == 0)
			return n->places.data[i - 1];
	}
	return 0;
}

static uint32_t add(struct python_words *n, const struct python_name *name,
		    uint64_t bytes, uint64_t hash)
{
	const uint32_t place = (uint32_t)(n->used / 8);
	struct python_name_entry *x = name_at(n, place);

	x->line = name->line;
	x->nfunction = (uint16_t)strlen(name->function);
	x->nfile = (uint16_t)strlen(name->file);
	memcpy(x->text, name->function, x->nfunction + 1u);
	memcpy(x->text + x->nfunction + 1, name->file, x->nfile + 1u);
	*vec_push(&n->places) = place;
	index_add(&n->index, hash);
	n->used += bytes;
	return place;
}

uint64_t python_words_of(struct python_words *n, uint64_t *used,
			 const struct python_name *name)
{
	const size_t nfunction = strlen(name->function), nfile = strlen(name->file);
	const uint64_t bytes =
		align_up(sizeof(struct python_name_entry) + nfunction + nfile + 2, 8);
	uint64_t hash = hash_bytes(name->function, nfunction, n->seed + name->line);
	uint32_t place;

	hash = hash_bytes(name->file, nfile, hash);
	place = find(n, name, hash);
	if (!place && bytes <= n->bytes - n->used &&
	    *used + bytes <= PYTHON_NAMES_OF_ONE) {
		*used += bytes;
		place = add(n, name, bytes, hash);
	}
	if (!place)
		atomic_fetch_add_explicit(&n->file->lost, 1, memory_order_relaxed);
	return PYTHON_FRAME | place;
}
