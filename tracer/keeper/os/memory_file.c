/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/os/memory_file.h"
#include "tracer/keeper/os/faults.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

int memory_file_new(const char *name, uint64_t n)
{
	int fd = faults_due(FAULTS_FILE, SYS_memfd_create)
			 ? -1
			 : memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && ftruncate(fd, (off_t)n) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

bool memory_file_seal(int fd)
{
	return fcntl(fd, F_ADD_SEALS, SEALS) == 0;
}

bool memory_file_seal_data(int fd)
{
	return fcntl(fd, F_ADD_SEALS, SEALS | F_SEAL_FUTURE_WRITE) == 0;
}
