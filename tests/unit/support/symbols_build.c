/* SPDX-License-Identifier: MIT */
#include "tests/unit/support/symbols_build.h"

char work_dir[64];

int work_dir_make(void **state)
{
	(void)state;
	strcpy(work_dir, "/tmp/symbols-test-XXXXXX");
	return mkdtemp(work_dir) ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *st, int flag,
			struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

int work_dir_remove(void **state)
{
	(void)state;
	return nftw(work_dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

const char *in_dir(const char *name)
{
	static char ring[8][256];
	static unsigned next;
	char *out = ring[next++ % 8];

	snprintf(out, sizeof(ring[0]), "%s/%s", work_dir, name);
	return out;
}

int shell(const char *command)
{
	char line[2048];

	snprintf(line, sizeof(line), "cd %s && { %s; }", work_dir, command);
	return system(line) == 0;
}

void write_file(const char *name, const void *data, size_t n)
{
	FILE *f = fopen(in_dir(name), "w");

	if (!f || fwrite(data, 1, n, f) != n || fclose(f) != 0)
		abort();
}

int compile(const char *name, const char *source, const char *args)
{
	char command[1024], file[64];

	snprintf(file, sizeof(file), "%s.c", name);
	write_file(file, source, strlen(source));
	snprintf(command, sizeof(command), "cc -o %s %s.c %s", name, name, args);
	return shell(command);
}

struct running run_program(const char *path)
{
	struct running r = {.pid = -1};
	int in[2], out[2];
	char ready;

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		abort();
	r.pid = fork();
	if (r.pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl(path, path, (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	r.in = in[1];
	r.out = out[0];
	if (r.pid < 0 || read(r.out, &ready, 1) != 1)
		abort();
	return r;
}

void end_program(struct running *r)
{
	close(r->in);
	close(r->out);
	waitpid(r->pid, NULL, 0);
}

uint64_t draw(uint64_t *seed, uint64_t below)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed % below;
}
