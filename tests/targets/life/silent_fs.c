/* SPDX-License-Identifier: MIT */
/*
 * silent_fs FOLDER FILE: mounts a file system of one file, named "file" and with the
 * content of FILE, and serves it until SIGTERM. After SIGUSR1 it takes no more requests: a
 * thread that opens or reads the file, or asks for its size, sleeps in the kernel, and only
 * a fatal signal wakes it. Prints "ready". Ends with 77 where it cannot mount (fuse(4)).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NODE 2u
#define REQUEST	  (1u << 20)
#define PIECE	  (1u << 17) /* of one answer */

static volatile sig_atomic_t is_silent, is_over;
static int device, content;

static void on_signal(int sig)
{
	if (sig == SIGUSR1)
		is_silent = 1;
	else
		is_over = 1;
}

static void answer(uint64_t unique, int error, const void *data, size_t n)
{
	static char buffer[sizeof(struct fuse_out_header) + PIECE];
	struct fuse_out_header h = {
		.len = (uint32_t)(sizeof(h) + n), .error = -error, .unique = unique};

	memcpy(buffer, &h, sizeof(h));
	memcpy(buffer + sizeof(h), data, n);
	if (write(device, buffer, h.len) < 0 && errno != ENOENT)
		perror("silent_fs");
}

/* Nothing is kept by the kernel but pages: each look asks here. */
static struct fuse_attr attributes(uint64_t node)
{
	struct fuse_attr a = {.ino = node, .nlink = 1, .blksize = 4096};
	struct stat st;

	a.mode = node == FILE_NODE ? S_IFREG | 0755 : S_IFDIR | 0755;
	if (node == FILE_NODE && fstat(content, &st) == 0) {
		a.size = (uint64_t)st.st_size;
		a.blocks = (uint64_t)st.st_blocks;
	}
	return a;
}

static void serve_init(const struct fuse_in_header *in)
{
	const struct fuse_init_in *wanted = (const void *)(in + 1);
	struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION,
				    .minor = FUSE_KERNEL_MINOR_VERSION,
				    .max_readahead = wanted->max_readahead,
				    .max_write = 4096,
				    .time_gran = 1};

	answer(in->unique, 0, &out, sizeof(out));
}

static void serve_read(const struct fuse_in_header *in)
{
	static char bytes[PIECE];
	const struct fuse_read_in *r = (const void *)(in + 1);
	size_t most = r->size < PIECE ? r->size : PIECE;
	ssize_t n = pread(content, bytes, most, (off_t)r->offset);

	answer(in->unique, n < 0 ? EIO : 0, bytes, n < 0 ? 0 : (size_t)n);
}

static void serve(const struct fuse_in_header *in)
{
	struct fuse_entry_out entry = {.nodeid = FILE_NODE};
	struct fuse_attr_out attr = {0};
	struct fuse_open_out opened = {.open_flags = FOPEN_KEEP_CACHE};

	switch (in->opcode) {
	case FUSE_INIT:
		serve_init(in);
		break;
	case FUSE_LOOKUP:
		entry.attr = attributes(FILE_NODE);
		answer(in->unique, strcmp((const char *)(in + 1), "file") ? ENOENT : 0,
		       &entry,
		       strcmp((const char *)(in + 1), "file") ? 0 : sizeof(entry));
		break;
	case FUSE_GETATTR:
		attr.attr = attributes(in->nodeid);
		answer(in->unique, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		answer(in->unique, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		serve_read(in);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	case FUSE_RELEASE:
		answer(in->unique, 0, "", 0);
		break;
	default:
		answer(in->unique, ENOSYS, "", 0);
	}
}

int main(int argc, char **argv)
{
	static char request[REQUEST];
	const struct sigaction act = {.sa_handler = on_signal};
	char options[128];

	if (argc != 3)
		return 2;
	content = open(argv[2], O_RDONLY | O_CLOEXEC);
	device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=%u,group_id=%u", device, getuid(),
		 getgid());
	if (content < 0 || device < 0 ||
	    mount("silent_fs", argv[1], "fuse", MS_NOSUID | MS_NODEV, options)) {
		perror("silent_fs");
		return 77;
	}
	sigaction(SIGUSR1, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	puts("ready");
	fflush(stdout);
	while (!is_over) {
		ssize_t n = is_silent ? (pause(), 0) : read(device, request, REQUEST);

		if (n < 0 && errno != EINTR && errno != ENOENT)
			break;
		if (n > 0)
			serve((const void *)request);
	}
	umount2(argv[1], MNT_DETACH);
	return 0;
}
