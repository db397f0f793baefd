/* SPDX-License-Identifier: MIT */
#include "tracer/output/kernel_names.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kernel_names {
	struct {
		struct entry {
			uint64_t address;
			uint32_t function, module; /* offsets into text */
		} * data;
		size_t len, cap;
	} list; /* ascending */
	struct strbuf text;
};

static uint32_t add_text(struct strbuf *text, const char *s)
{
	uint32_t at = (uint32_t)text->len;

	strbuf_add(text, s, strlen(s) + 1);
	return at;
}

/* "ffffffffc0011000 t do_it	[ext4]"; the offset 0 is "vmlinux". */
static void add_line(struct kernel_names *k, const char *line)
{
	char name[512], module[64] = "";
	struct entry entry = {0};
	char type;

	if (sscanf(line, "%" SCNx64 " %c %511s [%63[^]]", &entry.address, &type, name,
		   module) < 3)
		return;
	if (!entry.address || !strchr("tTwW", type))
		return;
	entry.function = add_text(&k->text, name);
	if (*module)
		entry.module = add_text(&k->text, module);
	*vec_push(&k->list) = entry;
}

static int compare(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;

	if (left->address != right->address)
		return left->address < right->address ? -1 : 1;
	return left->function < right->function ? -1 : 1;
}

struct kernel_names *kernel_names_none(void)
{
	struct kernel_names *k = oom_calloc(1, sizeof(*k));

	add_text(&k->text, "vmlinux");
	return k;
}

struct kernel_names *kernel_names_read(const char *path)
{
	struct kernel_names *k = kernel_names_none();
	FILE *file = fopen(path, "re");
	char line[1024];

	while (file && fgets(line, sizeof(line), file))
		add_line(k, line);
	if (file)
		fclose(file);
	if (k->list.len)
		qsort(k->list.data, k->list.len, sizeof(*k->list.data), compare);
	return k;
}

struct kernel_names *kernel_names_new(void)
{
	return kernel_names_read("/proc/kallsyms");
}

bool kernel_names_address(const struct kernel_names *k, const char *function,
			  uint64_t *address)
{
	for (size_t i = 0; i < k->list.len; i++) {
		const struct entry *e = &k->list.data[i];

		if (e->module || strcmp(k->text.data + e->function, function) != 0)
			continue;
		*address = e->address;
		return true;
	}
	return false;
}

void kernel_names_shift(struct kernel_names *k, uint64_t shift)
{
	size_t n = 0;

	for (size_t i = 0; i < k->list.len && shift; i++) {
		struct entry e = k->list.data[i];

		if (e.module)
			continue;
		e.address += shift;
		k->list.data[n++] = e;
	}
	if (shift)
		k->list.len = n;
}

void kernel_names_free(struct kernel_names *k)
{
	if (!k)
		return;
	vec_release(&k->list);
	strbuf_release(&k->text);
	free(k);
}

bool kernel_names_find(const struct kernel_names *k, uint64_t address,
		       struct kernel_name *out)
{
	size_t lo = 0, hi = k->list.len;
	const struct entry *e;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (k->list.data[mid].address <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return false;
	/* of several names the first in the file */
	e = &k->list.data[lo - 1];
	while (e > k->list.data && e[-1].address == e->address)
		e--;
	*out = (struct kernel_name){
		.module = k->text.data + e->module,
		.function = k->text.data + e->function,
		.offset = address - e->address,
	};
	return true;
}
