/* SPDX-License-Identifier: MIT */
#include "tracer/recording/read/kernel_symbols.h"
#include "vm/base/bytes.h"
#include "vm/base/host/strbuf.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define MAPPING	  "[kernel.kallsyms]"
#define NOTES_MAX 4096

bool recorded_kernel_set(struct recorded_kernel *k, const struct recorded_map *map)
{
	size_t n = strlen(MAPPING);

	if (strncmp(map->path, MAPPING, n) != 0 ||
	    strlen(map->path + n) >= sizeof(k->symbol))
		return false;
	strcpy(k->symbol, map->path + n); /* it fits */
	k->address = map->offset;	  /* of the symbol, for this mapping */
	k->id.n = map->build_id_size;
	memcpy(k->id.bytes, map->build_id, sizeof(map->build_id));
	return true;
}

/* The build-id of the kernel that runs; n 0: it cannot be read. */
static struct recorded_build_id running_id(void)
{
	struct recorded_build_id id = {.n = 0};
	unsigned char bytes[NOTES_MAX];
	int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, bytes, sizeof(bytes));
	size_t n = got > 0 ? (size_t)got : 0;

	if (fd >= 0)
		close(fd);
	for (size_t at = 0; at + 12 <= n;) {
		uint64_t name = align_up(bytes_load(bytes + at, 4), 4);
		uint64_t size = bytes_load(bytes + at + 4, 4);
		uint64_t type = bytes_load(bytes + at + 8, 4);

		at += 12;
		if (name + align_up(size, 4) > n - at)
			break;
		if (type == NT_GNU_BUILD_ID && name == 4 &&
		    memcmp(bytes + at, "GNU", 4) == 0 && size <= sizeof(id.bytes)) {
			id.n = size;
			memcpy(id.bytes, bytes + at + name, size);
		}
		at += name + align_up(size, 4);
	}
	return id;
}

static bool is_same(const struct recorded_build_id *a,
		    const struct recorded_build_id *b)
{
	return a->n && a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}

/* By its build-id, or where none was recorded by its release. */
static bool is_running(const struct recorded_build_id *id, const struct header *h)
{
	const struct recorded_build_id running = running_id();
	struct utsname name;

	if (id->n)
		return is_same(id, &running);
	return h->machine.release && uname(&name) == 0 &&
	       strcmp(name.release, h->machine.release) == 0;
}

static struct kernel_names *read_copy(const struct recorded_build_id *id)
{
	const char *home = getenv("HOME");
	struct kernel_names *names;
	struct strbuf path = {0};

	if (!home || !id->n)
		return kernel_names_none();
	strbuf_printf(&path, "%s/.debug/" MAPPING "/", home);
	for (size_t i = 0; i < id->n; i++)
		strbuf_printf(&path, "%02x", id->bytes[i]);
	strbuf_puts(&path, "/kallsyms");
	names = kernel_names_read(path.data);
	strbuf_release(&path);
	return names;
}

struct kernel_names *recorded_kernel_names(const struct recorded_kernel *k,
					   const struct header *h)
{
	const struct recorded_build_id *known = header_build_id(h, MAPPING);
	const struct recorded_build_id *id = k->id.n || !known ? &k->id : known;
	struct kernel_names *names;
	uint64_t now;

	names = is_running(id, h) ? kernel_names_new() : read_copy(id);
	if (*k->symbol && kernel_names_address(names, k->symbol, &now)) {
		kernel_names_shift(names, k->address - now);
		return names;
	}
	/* it is not known where the kernel lay, or nothing of it */
	kernel_names_free(names);
	return kernel_names_none();
}
