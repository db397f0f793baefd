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

struct kernel_names *kernel_names_new(void)
{
	struct kernel_names *k = oom_calloc(1, sizeof(*k));
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[1024];

	add_text(&k->text, "vmlinux");
	while (file && fgets(line, sizeof(line), file))
		add_line(k, line);
	if (file)
		fclose(file);
	if (k->list.len)
		qsort(k->list.data, k->list.len, sizeof(*k->list.data), compare);
	return k;
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
