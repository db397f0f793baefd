/* SPDX-License-Identifier: MIT */
#include "symbols/elf/repeated.h"

#include <string.h>

#include "vm/base/hash.h"
#include "vm/base/host/map.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

enum {
	OVERLAP = 8, /* names may overlap: those of a real table rarely do */
	CHAIN = 8,   /* symbols with one hash that are looked at, on average */
};

/* What is left to spend. */
struct means {
	uint64_t letters, steps;
};

/* The numbers of the symbols that are defined for other modules, by their hashes. */
struct exported {
	struct index by_hash;
	struct {
		uint32_t *data;
		size_t len, cap;
	} numbers;
};

static bool spend(uint64_t *from, uint64_t n)
{
	if (n > *from)
		return false;
	*from -= n;
	return true;
}

static bool is_defined(const struct elf_symbols *table, size_t i)
{
	const char *name = elf_symbol_name(table, i);

	return table->data[i].st_shndx != SHN_UNDEF && name && name[0];
}

/* Its name without the version. */
static size_t length_of(const struct elf_symbols *table, size_t i)
{
	const char *name = elf_symbol_name(table, i);

	return 1 + strcspn(name + 1, "@");
}

static uint64_t hash_of(const struct elf_symbols *table, size_t i, size_t n)
{
	const Elf64_Sym *s = &table->data[i];
	const uint64_t facts[] = {s->st_value, s->st_size, s->st_info};

	return hash_bytes(elf_symbol_name(table, i), n,
			  hash_bytes(facts, sizeof(facts), 0));
}

static bool are_equal(const struct elf_symbols *a, size_t i,
		      const struct elf_symbols *b, size_t k)
{
	const Elf64_Sym *x = &a->data[i], *y = &b->data[k];
	size_t n = length_of(a, i);

	return x->st_value == y->st_value && x->st_size == y->st_size &&
	       x->st_info == y->st_info && n == length_of(b, k) &&
	       memcmp(elf_symbol_name(a, i), elf_symbol_name(b, k), n) == 0;
}

/* False: too little is left. */
static bool list(const struct elf_symbols *table, struct means *left,
		 struct exported *out)
{
	for (size_t i = 0; i < table->len && i < UINT32_MAX; i++) {
		size_t n;

		if (ELF64_ST_BIND(table->data[i].st_info) == STB_LOCAL ||
		    !is_defined(table, i))
			continue;
		n = length_of(table, i);
		if (!spend(&left->letters, n))
			return false;
		*vec_push(&out->numbers) = (uint32_t)i;
		index_add(&out->by_hash, hash_of(table, i, n));
	}
	return true;
}

static bool has(const struct exported *x, const struct elf_symbols *full,
		const struct elf_symbols *dynamic, size_t i, struct means *left)
{
	size_t n = length_of(dynamic, i);
	uint64_t hash;

	if (!spend(&left->letters, 2 * n))
		return false;
	hash = hash_of(dynamic, i, n);
	for (uint32_t k = index_first(&x->by_hash, hash);
	     k && spend(&left->steps, 1) && spend(&left->letters, n);
	     k = index_next(&x->by_hash, k))
		if (are_equal(dynamic, i, full, x->numbers.data[k - 1]))
			return true;
	return false;
}

/* Marks those that are repeated. Returns the length of all names of the others. */
static uint64_t mark(const struct elf_symbols *dynamic, const struct elf_symbols *full,
		     bool *is_repeated)
{
	struct means left = {OVERLAP *
				     ((uint64_t)dynamic->names_size + full->names_size),
			     CHAIN * ((uint64_t)dynamic->len + 1)};
	struct exported x = {0};
	bool can_be = list(full, &left, &x);
	uint64_t sum = 0;

	for (size_t i = 0; i < dynamic->len && sum <= dynamic->names_size; i++) {
		const char *name = elf_symbol_name(dynamic, i);

		is_repeated[i] = can_be && is_defined(dynamic, i) &&
				 has(&x, full, dynamic, i, &left);
		if (!is_repeated[i] && name)
			sum += strlen(name) + 1;
	}
	index_release(&x.by_hash);
	vec_release(&x.numbers);
	return sum;
}

void elf_symbols_drop_repeated(struct elf_symbols *dynamic,
			       const struct elf_symbols *full)
{
	bool *is_repeated = oom_calloc(dynamic->len + 1, sizeof(*is_repeated));
	uint64_t size = 1 + mark(dynamic, full, is_repeated);
	char *names, *end;

	if (size < dynamic->names_size) {
		names = end = oom_realloc(NULL, (size_t)size + 1);
		*end++ = '\0';
		for (size_t i = 0; i < dynamic->len; i++) {
			const char *name = elf_symbol_name(dynamic, i);
			const char *kept = is_repeated[i] || !name ? "" : name;

			dynamic->data[i].st_name = *kept ? (uint32_t)(end - names) : 0;
			if (*kept)
				end = stpcpy(end, kept) + 1;
		}
		*end = '\0';
		free(dynamic->names);
		dynamic->names = names;
		dynamic->names_size = (size_t)(end - names);
	}
	free(is_repeated);
}
