/* SPDX-License-Identifier: MIT */
#include "tests/attack/shared.h"

#include <asm/prctl.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define REGIONS_MAX 4096

unsigned long poked, refused;

size_t regions(struct region *r, size_t max)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512], perms[5];
	size_t n = 0;

	while (maps && n < max && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %4s", &r[n].lo, &r[n].hi, perms) != 3)
			continue;
		r[n].is_readable = perms[0] == 'r' && !strstr(line, "[v");
		r[n].is_writable = perms[1] == 'w';
		r[n].is_executable = perms[2] == 'x';
		r[n].is_shared = perms[3] == 's';
		r[n].is_memfd = strstr(line, "/memfd:") != NULL;
		n++;
	}
	if (maps)
		fclose(maps);
	return n;
}

void *region_of(uint32_t magic)
{
	static struct region r[REGIONS_MAX];
	size_t n = regions(r, REGIONS_MAX);

	for (size_t i = 0; i < n; i++) {
		uint32_t word;
		int fd;

		if (!r[i].is_readable)
			continue;
		fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
		if (pread(fd, &word, sizeof(word), (off_t)r[i].lo) != sizeof(word))
			word = ~magic;
		close(fd);
		if (word == magic)
			return pointer_to(r[i].lo);
	}
	return NULL;
}

static bool write_file(const char *path, uint64_t offset, const void *bytes, size_t n)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	bool is_done = fd >= 0 && pwrite(fd, bytes, n, (off_t)offset) == (ssize_t)n;

	if (fd >= 0)
		close(fd);
	return is_done;
}

/* Opens the file of the mapping again, which takes root. */
static bool write_behind(uintptr_t at, const void *bytes, size_t n)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512], path[128];
	unsigned long lo, hi, offset;
	bool is_done = false;

	while (maps && !is_done && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &lo, &hi, &offset) != 3 ||
		    at < lo || at >= hi)
			continue;
		snprintf(path, sizeof(path), "/proc/self/map_files/%lx-%lx", lo, hi);
		is_done = write_file(path, offset + (at - lo), bytes, n);
	}
	if (maps)
		fclose(maps);
	return is_done;
}

bool poke(void *at, const void *bytes, size_t n)
{
	uintptr_t a = (uintptr_t)at, page = a & ~UINT64_C(4095);
	size_t span = (a + n - page + 4095) & ~UINT64_C(4095);
	struct iovec from = {(void *)(uintptr_t)bytes, n}, to = {at, n};

	/* the protection of what can be written already is kept */
	if (process_vm_writev(getpid(), &from, 1, &to, 1, 0) == (ssize_t)n ||
	    (mprotect(pointer_to(page), span, PROT_READ | PROT_WRITE | PROT_EXEC) ==
		     0 &&
	     memcpy(at, bytes, n)) ||
	    write_file("/proc/self/mem", a, bytes, n) || write_behind(a, bytes, n)) {
		poked++;
		return true;
	}
	refused++;
	return false;
}

bool poke32(void *at, uint32_t value)
{
	return poke(at, &value, sizeof(value));
}

bool poke64(void *at, uint64_t value)
{
	return poke(at, &value, sizeof(value));
}

struct resident_tcb *own_tcb(void)
{
	const struct resident_text *text = region_of(RESIDENT_MAGIC);
	uint64_t gs = 0;

	if (!text || syscall(SYS_arch_prctl, ARCH_GET_GS, &gs) || !gs)
		return NULL;
	/* without a TCB it is the shared gate */
	return gs == (uintptr_t)text + text->gate ? NULL : pointer_to(gs);
}

struct state *own_state(void)
{
	struct resident_tcb *tcb = own_tcb();

	return tcb ? pointer_to(tcb->gate.state) : region_of(STATE_MAGIC);
}

struct slot *own_slot(void)
{
	struct resident_tcb *tcb = own_tcb();

	return tcb ? layout_slot(own_state(), tcb->thread.slot[0]) : NULL;
}

const void *own_image(void)
{
	const struct resident_program *p = region_of(RESIDENT_PROGRAM_MAGIC);

	return p ? (const char *)p + p->image_at : NULL;
}
