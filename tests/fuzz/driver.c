/* SPDX-License-Identifier: MIT */
/*
 * fuzz_NAME [-t SECONDS] [-s SEED] PATH...: runs every file, of directories those
 * in them, once; with -t goes on with mutants of them until the time is over. The
 * input being run is always in ./fuzz_NAME.last (padded, its length after it), so one
 * that kills the process stays there and can be run again. A seed gives the same mutants again.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

#define SEEDS_MAX   4096
#define ONE_SECONDS 60

struct input {
	uint8_t *data;
	size_t n;
};

static struct input seeds[SEEDS_MAX];
static size_t nseeds;
/* Mapped from the file of the last input: the bytes, and how many, in their place. */
static uint8_t *last;
static uint32_t *length;
static uint64_t state;

static void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(2);
}

static uint32_t chance(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return below ? (uint32_t)(state >> 32) % below : 0;
}

static void run(size_t n)
{
	uint8_t *exact = malloc(n + !n); /* so that a read past the end is seen */

	if (!exact)
		die("input");
	memcpy(exact, last, n);
	*length = (uint32_t)n;
	alarm(ONE_SECONDS); /* SIGALRM ends the process: an input must not take that long */
	fuzz_one(exact, n);
	alarm(0);
	free(exact);
}

/* ---- seeds ---- */

static void add_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct input in = {malloc(FUZZ_INPUT_MAX), 0};
	uint32_t n;

	if (!f || !in.data)
		die(path);
	in.n = fread(in.data, 1, FUZZ_INPUT_MAX, f);
	if (fread(&n, sizeof(n), 1, f) == 1 && n <= in.n) /* a .last */
		in.n = n;
	fclose(f);
	if (nseeds < SEEDS_MAX)
		seeds[nseeds++] = in;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void add_path(const char *path)
{
	struct dirent **names;
	struct stat st;
	int n;

	if (stat(path, &st))
		die(path);
	if (!S_ISDIR(st.st_mode)) {
		add_file(path);
		return;
	}
	n = scandir(path, &names, NULL, by_name);
	if (n < 0)
		die(path);
	for (int i = 0; i < n; i++) {
		char name[4096];

		snprintf(name, sizeof(name), "%s/%s", path, names[i]->d_name);
		if (names[i]->d_name[0] != '.' && stat(name, &st) == 0 &&
		    S_ISREG(st.st_mode))
			add_file(name);
		free(names[i]);
	}
	free(names);
}

/* ---- mutants ---- */

static void store(size_t at, size_t n, uint64_t v)
{
	memcpy(last + at, &v, n);
}

static const uint64_t favourites[] = {
	0,	    1,		2,	    7,		8,	   0x7f,
	0x80,	    0xff,	0x7fff,	    0x8000,	0xffff,	   0x7fffffff,
	0x80000000, 0xffffffff, 1ull << 32, 1ull << 63, ~0ull - 7, ~0ull,
};

/* Some bytes of another seed into this one. */
static size_t insert(size_t n)
{
	const struct input *from = &seeds[chance((uint32_t)nseeds)];
	size_t at = chance((uint32_t)n + 1), first, len;

	if (from->n == 0)
		return n;
	first = chance((uint32_t)from->n);
	len = 1 + chance((uint32_t)(from->n - first));
	if (len > FUZZ_INPUT_MAX - n)
		return n;
	memmove(last + at + len, last + at, n - at);
	memcpy(last + at, from->data + first, len);
	return n + len;
}

static size_t cut(size_t n)
{
	size_t at = chance((uint32_t)n), len = 1 + chance((uint32_t)(n - at));

	memmove(last + at, last + at + len, n - at - len);
	return n - len;
}

static size_t mutate(size_t n)
{
	static const size_t widths[] = {1, 2, 4, 8};
	size_t width = widths[chance(4)];
	size_t at = chance((uint32_t)n);

	if (n == 0)
		return insert(n);
	switch (chance(7)) {
	case 0:
		last[at] ^= (uint8_t)(1u << chance(8));
		return n;
	case 1:
		last[at] = (uint8_t)chance(256);
		return n;
	case 2:
	case 3:
		if (n - at >= width)
			store(at, width, favourites[chance(sizeof(favourites) / 8)]);
		return n;
	case 4:
		if (n - at >= width)
			store(at, width, (uint64_t)chance(~0u) << 32 | chance(~0u));
		return n;
	case 5:
		return cut(n);
	default:
		return insert(n);
	}
}

static void run_mutants(double seconds)
{
	time_t end = time(NULL) + (time_t)seconds;
	uint64_t count = 0;

	for (; time(NULL) < end; count++) {
		const struct input *seed = &seeds[chance((uint32_t)nseeds)];
		size_t n = seed->n;

		memcpy(last, seed->data, n);
		for (uint32_t i = 1 + chance(8); i > 0; i--)
			n = mutate(n);
		run(n);
	}
	printf("%llu mutants of %zu seeds\n", (unsigned long long)count, nseeds);
}

static void open_last(const char *program)
{
	const char *base = strrchr(program, '/');
	const size_t size = FUZZ_INPUT_MAX + sizeof(*length);
	char name[256];
	void *map;
	int fd;

	snprintf(name, sizeof(name), "%s.last", base ? base + 1 : program);
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || ftruncate(fd, (off_t)size))
		die(name);
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		die(name);
	last = map;
	length = (uint32_t *)(void *)(last + FUZZ_INPUT_MAX);
}

int main(int argc, char **argv)
{
	double seconds = 0;
	int option;

	state = 1;
	while ((option = getopt(argc, argv, "t:s:")) != -1) {
		if (option == 't')
			seconds = atof(optarg);
		else if (option == 's')
			state = strtoull(optarg, NULL, 0) | 1;
		else
			return 2;
	}
	for (int i = optind; i < argc; i++)
		add_path(argv[i]);
	if (nseeds == 0) {
		fprintf(stderr, "usage: %s [-t SECONDS] [-s SEED] PATH...\n", argv[0]);
		return 2;
	}
	open_last(argv[0]);
	for (size_t i = 0; i < nseeds; i++) {
		memcpy(last, seeds[i].data, seeds[i].n);
		run(seeds[i].n);
	}
	if (seconds > 0)
		run_mutants(seconds);
	for (size_t i = 0; i < nseeds; i++)
		free(seeds[i].data);
	return 0;
}
