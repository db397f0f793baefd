/* SPDX-License-Identifier: MIT */
#include "symbols/elf/minidebug.h"

#include <lzma.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vm/base/host/fd.h"
#include "vm/base/host/log.h"
#include "vm/base/host/oom.h"

#define MEMORY_MAX (UINT64_C(80) << 20) /* of the decoder; xz -9 needs 65 MiB */
#define CHUNK	   65536

/* False unless the whole stream is valid and within the limits. */
static bool unpack(struct budget *b, const uint8_t *packed, size_t n, int fd)
{
	lzma_stream s = LZMA_STREAM_INIT;
	uint8_t *chunk = oom_calloc(1, CHUNK);
	lzma_ret rc = lzma_stream_decoder(&s, MEMORY_MAX, 0);
	/* other tables have names as well */
	uint64_t most = (b->max - b->spent) / 2;

	s.next_in = packed;
	s.avail_in = n;
	while (rc == LZMA_OK && s.total_out <= most && !budget_is_over()) {
		s.next_out = chunk;
		s.avail_out = CHUNK;
		rc = lzma_code(&s, LZMA_FINISH);
		if ((rc == LZMA_OK || rc == LZMA_STREAM_END) &&
		    !fd_write_all(fd, chunk, CHUNK - s.avail_out))
			rc = LZMA_PROG_ERROR;
	}
	if (s.total_out > most)
		budget_refuse(b, s.total_out, ".gnu_debugdata");
	lzma_end(&s);
	free(chunk);
	return rc == LZMA_STREAM_END && budget_take(b, s.total_out, ".gnu_debugdata");
}

bool minidebug_open(const struct elf_file *f, struct elf_file *out)
{
	const Elf64_Shdr *s = elf_section(f, SHT_PROGBITS, ".gnu_debugdata");
	uint8_t *packed = s ? elf_read(f, s->sh_offset, s->sh_size) : NULL;
	int fd = packed ? memfd_create("minidebug", MFD_CLOEXEC) : -1;
	struct err e;
	bool is_open = false;

	if (fd >= 0 && unpack(f->budget, packed, s->sh_size, fd)) {
		is_open = elf_open(out, fd, ".gnu_debugdata", &e) == 0;
		if (!is_open)
			log_debug("symbols", "%s", e.text);
	} else if (fd >= 0) {
		log_debug("symbols", ".gnu_debugdata is damaged");
		close(fd);
	}
	free(packed);
	return is_open;
}
