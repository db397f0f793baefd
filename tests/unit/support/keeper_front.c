/* SPDX-License-Identifier: MIT */
#include "tests/unit/support/keeper_front.h"

#include "vm/base/host/joined_map.h"

void pause_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}

long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Ended: whoever inherited it may take its time to reap it. */
static bool has_ended(pid_t pid)
{
	char path[32], state = 'Z';
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return true;
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 'Z';
	fclose(f);
	return state == 'Z';
}

void wait_gone(pid_t pid)
{
	for (int i = 0; i < 3000 && !has_ended(pid); i++) {
		waitpid(pid, NULL, WNOHANG);
		pause_ms(10);
	}
	assert(has_ended(pid));
}

static void front_keeper_path(char *path, size_t cap)
{
	const char *set = getenv("PROBEKEEPER");
	ssize_t n = readlink("/proc/self/exe", path, cap - 1);

	assert(n > 0);
	path[n] = '\0';
	*strrchr(path, '/') = '\0';
	strcat(path, "/../../bin/probekeeper");
	if (set)
		strcpy(path, set);
}

static void front_spawn(struct front *f)
{
	char path[4096], fd[16], pid[16];
	int pair[2];

	snprintf(pid, sizeof(pid), "%d", getpid());
	front_keeper_path(path, sizeof(path));
	assert(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
	f->keeper = fork();
	if (f->keeper == 0) {
		fcntl(pair[1], F_SETFD, 0);
		snprintf(fd, sizeof(fd), "%d", pair[1]);
		execl(path, "probekeeper", fd, pid, (char *)NULL);
		_exit(127);
	}
	close(pair[1]);
	f->fd = pair[0];
}

static void front_send(struct front *f, struct keeper_msg *m, const int *fds,
		       uint32_t nfds)
{
	char control[CMSG_SPACE(sizeof(int) * KEEPER_FDS_MAX)] = {0};
	struct iovec iov = {m, sizeof(*m)};
	struct msghdr h = {.msg_iov = &iov, .msg_iovlen = 1};

	m->serial = ++f->serial;
	m->nfds = nfds;
	if (nfds) {
		struct cmsghdr *c;

		h.msg_control = control;
		h.msg_controllen = CMSG_SPACE(sizeof(int) * nfds);
		c = CMSG_FIRSTHDR(&h);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * nfds);
		memcpy(CMSG_DATA(c), fds, sizeof(int) * nfds);
	}
	assert(sendmsg(f->fd, &h, MSG_NOSIGNAL) == (ssize_t)sizeof(*m));
}

/* The state block of a process: as dtrace maps it. */
static void front_add_view(struct front *f, const int *fds)
{
	struct joined_file files[STATE_REGIONS];

	for (int i = 0; i < STATE_REGIONS; i++) {
		struct state_range r = state_region(f->state, (enum state_region)i);

		files[i] =
			(struct joined_file){i < 2 ? fds[i] : f->files[i], r.at, r.size,
					     i == STATE_LAYOUT || i == STATE_CONTROL};
	}
	f->views = realloc(f->views, (f->nviews + 1) * sizeof(struct state *));
	assert(f->views);
	f->views[f->nviews] = joined_map(files, STATE_REGIONS);
	assert(f->views[f->nviews]);
	assert(state_check(f->views[f->nviews], f->state_bytes) == 0);
	f->nviews++;
}

/* One message within ms; false when none came. Descriptors are closed. */
static bool front_receive(struct front *f, int ms, struct keeper_msg *out)
{
	char control[CMSG_SPACE(sizeof(int) * KEEPER_FDS_MAX)];
	struct iovec iov = {out, sizeof(*out)};
	struct msghdr h = {.msg_iov = &iov,
			   .msg_iovlen = 1,
			   .msg_control = control,
			   .msg_controllen = sizeof(control)};
	struct pollfd p = {f->fd, POLLIN, 0};
	int fds[KEEPER_FDS_MAX], n = 0;

	/* In slices: a pause of the whole machine is one of them. */
	for (int left = ms; n <= 0 && left > 0; left -= SLICE_MS)
		n = poll(&p, 1, SLICE_MS);
	if (n <= 0 || recvmsg(f->fd, &h, 0) != (ssize_t)sizeof(*out))
		return false;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&h); c; c = CMSG_NXTHDR(&h, c)) {
		memcpy(fds, CMSG_DATA(c), sizeof(int) * out->nfds);
		if (out->type == KEEPER_EV_EXCHANGE)
			front_add_view(f, fds);
		for (uint32_t i = 0; i < out->nfds; i++)
			close(fds[i]);
	}
	return true;
}

/* The same, but for messages that were handled here. */
static bool front_receive_other(struct front *f, int ms, struct keeper_msg *out)
{
	bool is_one;

	do
		is_one = front_receive(f, ms, out);
	while (is_one && out->type == KEEPER_EV_EXCHANGE);
	return is_one;
}

struct keeper_msg front_call(struct front *f, struct keeper_msg m, const int *fds,
			     uint32_t nfds)
{
	struct keeper_msg reply;

	front_send(f, &m, fds, nfds);
	for (;;) {
		if (!front_receive_other(f, 40000, &reply)) {
			int status = 0;

			waitpid(f->keeper, &status, WNOHANG);
			fprintf(stderr, "no reply to request %u, keeper: %#x\n", m.type,
				(unsigned)status);
			abort();
		}
		if (reply.type == KEEPER_REPLY)
			break;
		assert(f->nevents < ARRAY_LEN(f->events));
		f->events[f->nevents++] = reply;
	}
	assert(reply.serial == f->serial);
	return reply;
}

/* Maps the blocks that were announced since; keeps other events. */
static void front_take_exchanges(struct front *f)
{
	while (f->nevents < ARRAY_LEN(f->events) &&
	       front_receive_other(f, 1, &f->events[f->nevents]))
		f->nevents++;
}

bool front_event(struct front *f, int ms, struct keeper_msg *out)
{
	if (!f->nevents)
		return front_receive_other(f, ms, out);
	*out = f->events[0];
	memmove(f->events, f->events + 1, --f->nevents * sizeof(*f->events));
	return true;
}

int front_memfd(const void *data, size_t n)
{
	int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert(fd >= 0 && ftruncate(fd, (off_t)n) == 0);
	if (data)
		assert(pwrite(fd, data, n, 0) == (ssize_t)n);
	return fd;
}

bool front_only_counts;

bool front_is_light;

bool front_reads;

/* Clause 0: @a[id] = count(). Clause 1: @b[id] = sum(arg1), or of *(uint64_t *)arg0. */
static void *front_image(size_t *size)
{
	struct builder *b = builder_new();

	build_field(b, field_int(4, false));
	build_agg(b, AGG_count, 0, 1, 1);
	build_field(b, field_int(4, false));
	build_agg(b, AGG_sum, 0, 1, 1);
	{
		const insn_t count[] = {
			I(BI, 0, 0, 0, BUILTIN_id), I(LI, 1, 0, 0, 0),
			I(TUP, 0, 0, 0, 0),	    I(TPI, 0, 0, 4, 0),
			I(AGGR, 1, 1, 0, 0),	    I(END, 0, 0, 0, 0),
		};
		/* Under a key that is computed, so that it is not counted by site. */
		const insn_t count_by_key[] = {
			I(BI, 0, 0, 0, BUILTIN_id), I(BI, 1, 0, 0, BUILTIN_arg0),
			I(XOR, 1, 1, 1, 0),	    I(ADD, 0, 0, 1, 0),
			I(TUP, 0, 0, 0, 0),	    I(TPI, 0, 0, 4, 0),
			I(AGGR, 1, 1, 0, 0),	    I(END, 0, 0, 0, 0),
		};
		const insn_t sum[] = {
			I(BI, 0, 0, 0, BUILTIN_id), I(BI, 1, 0, 0, BUILTIN_arg1),
			I(LI, 2, 0, 0, 1),	    I(TUP, 0, 0, 0, 0),
			I(TPI, 0, 0, 4, 0),	    I(AGGR, 1, 2, 0, 1),
			I(END, 0, 0, 0, 0),
		};

		if (front_is_light)
			build_clause(b, count_by_key, ARRAY_LEN(count_by_key));
		else
			build_clause(b, count, ARRAY_LEN(count));
		const insn_t sum_of_memory[] = {
			I(BI, 0, 0, 0, BUILTIN_id), I(BI, 1, 0, 0, BUILTIN_arg0),
			I(ULD, 1, 1, 8, 0),	    I(LI, 2, 0, 0, 1),
			I(TUP, 0, 0, 0, 0),	    I(TPI, 0, 0, 4, 0),
			I(AGGR, 1, 2, 0, 1),	    I(END, 0, 0, 0, 0),
		};

		if (front_reads)
			build_clause(b, sum_of_memory, ARRAY_LEN(sum_of_memory));
		else
			build_clause(b, sum, ARRAY_LEN(sum));
	}
	return build_image(b, size);
}

static void front_load(struct front *f)
{
	struct joined_file files[STATE_REGIONS];
	struct state_config c;
	struct state *layout;
	int fds[1 + STATE_REGIONS];

	f->image = front_image(&f->image_size);
	program_mark_constant(f->image);
	c = rig_config(f->image);
	c.nslots = f->nslots ? f->nslots : c.nslots;
	f->state_bytes = state_size(&c);
	fds[0] = front_memfd(f->image, f->image_size);
	layout = aligned_alloc(STATE_LAYOUT_BYTES, STATE_LAYOUT_BYTES);
	assert(state_init(layout, f->state_bytes, &c) == 0);
	for (int i = 0; i < STATE_REGIONS; i++) {
		struct state_range r = state_region(layout, (enum state_region)i);

		f->files[i] = fds[1 + i] = front_memfd(NULL, r.size);
		files[i] = (struct joined_file){f->files[i], r.at, r.size, false};
	}
	free(layout);
	f->state = joined_map(files, STATE_REGIONS);
	assert(f->state && state_init(f->state, f->state_bytes, &c) == 0);
	{
		struct keeper_msg r = front_call(
			f,
			(struct keeper_msg){.type = KEEPER_REQ_BLOCK,
					    .block = {.image_bytes = f->image_size}},
			fds, 1 + STATE_REGIONS);

		if (r.status)
			fprintf(stderr, "%s\n", r.text);
		assert(r.status == 0);
	}
	close(fds[0]);
}

void front_probes(struct front *f)
{
	struct {
		struct vm_table h;
		struct vm_probe probes[FRONT_PROBES];
		struct vm_enabling enablings[2];
		struct vm_fullname fullnames[FRONT_PROBES];
		char names[16];
	} t = {.h = {FRONT_PROBES, 2, sizeof(t.names), UINT32_MAX, 0, 0},
	       .enablings = {{0, 1}, {1, 2}},
	       .names = "\0fpid1"};
	int fd;

	for (uint32_t i = 0; i < FRONT_PROBES; i++)
		t.probes[i] = (struct vm_probe){i + 1, 0, front_only_counts ? 1 : 2};
	for (uint32_t i = 0; i < FRONT_PROBES; i++)
		t.fullnames[i] = (struct vm_fullname){{1, 1, 1, 1}};
	fd = front_memfd(&t, sizeof(t));
	assert(front_call(f,
			  (struct keeper_msg){.type = KEEPER_REQ_PROBES,
					      .memory.bytes = sizeof(t)},
			  &fd, 1)
		       .status == 0);
	close(fd);
}

struct front *front_new_with(uint32_t nslots)
{
	struct front *f = calloc(1, sizeof(*f));

	f->nslots = nslots;
	front_spawn(f);
	front_load(f);
	front_probes(f);
	return f;
}

struct front *front_new(void)
{
	return front_new_with(0);
}

int front_free(struct front *f)
{
	int status;

	close(f->fd);
	assert(waitpid(f->keeper, &status, 0) == f->keeper);
	munmap(f->state, f->state_bytes);
	for (unsigned i = 0; i < f->nviews; i++)
		munmap(f->views[i], f->state_bytes);
	free(f->views);
	free(f->image);
	free(f);
	return status;
}

struct keeper_msg front_request(struct front *f, uint32_t type, int pid)
{
	return front_call(f, (struct keeper_msg){.type = type, .pid = pid}, NULL, 0);
}

/* The list of sites in a new memfd, mapped. */
static struct keeper_sites *front_list(const struct front_site *s, uint32_t n,
				       bool is_over, size_t *bytes, int *fd)
{
	struct keeper_sites *h;
	struct keeper_site *sites;
	struct addr_range *ranges;
	struct hook_plan *plans;

	*bytes = sizeof(*h) + n * (sizeof(*sites) + sizeof(*ranges) + sizeof(*plans));
	*fd = front_memfd(NULL, *bytes);
	h = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	assert(h != MAP_FAILED);
	sites = (void *)(h + 1);
	ranges = (void *)(sites + n);
	plans = (void *)(ranges + n);
	h->nsites = h->nranges = h->nplans = n;
	h->progress = is_over ? KEEPER_SITES_OVER : 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t base = (uint64_t)(uintptr_t)(s[i].base ? s[i].base : s[i].at);

		sites[i] = (struct keeper_site){
			.addr = taddr_of((uintptr_t)s[i].at),
			.probe = s[i].probe,
			.kind = (uint16_t)s[i].kind,
			.arg0 = (uint32_t)((uint64_t)(uintptr_t)s[i].at - base),
			.first_range = i,
			.nranges = 1,
		};
		ranges[i] =
			(struct addr_range){taddr_of(base), taddr_of(base + s[i].size)};
		if (!s[i].plan)
			continue;
		plans[i] = *s[i].plan;
		sites[i].plan = i + 1;
		if (i && s[i - 1].plan &&
		    (s[i - 1].at == s[i].at || s[i - 1].plan == s[i].plan))
			sites[i].plan = sites[i - 1].plan;
	}
	return h;
}

uint64_t front_sites(struct front *f, int pid, struct front_site *s, uint32_t n)
{
	size_t bytes;
	int fd;
	struct keeper_sites *h = front_list(s, n, f->ends_sites, &bytes, &fd);
	struct keeper_site *sites = (void *)(h + 1);
	struct keeper_msg r;

	r = front_call(f,
		       (struct keeper_msg){.type = KEEPER_REQ_SITES,
					   .pid = pid,
					   .memory.bytes = bytes},
		       &fd, 1);
	close(fd);
	if (r.status)
		fprintf(stderr, "sites: %s\n", r.text);
	assert(r.status == 0);
	for (uint32_t i = 0; i < n; i++) {
		s[i].result = (enum keeper_site_result)sites[i].result;
		s[i].reason = (enum keeper_reason)sites[i].reason;
		if (!s[i].plan && !f->ends_sites)
			assert(s[i].result == (s[i].reason ? KEEPER_SITE_REFUSED
							   : KEEPER_SITE_BREAKPOINT));
	}
	munmap(h, bytes);
	return r.sites_reply.nset;
}

static void front_add(void *ctx, const struct agg_entry_view *e)
{
	struct front_value *v = ctx;
	uint64_t key;

	memcpy(&key, e->key, 8);
	if (e->agg == v->agg && key == v->id)
		v->value += *e->value;
}

uint64_t front_value(struct front *f, uint32_t agg, uint32_t probe)
{
	struct front_value v = {agg, probe + 1, 0};

	assert(walk_slot(f->state, STATE_SLOT_KEEPER, f->image, front_add, &v) == 0);
	front_take_exchanges(f);
	for (unsigned i = 0; i < f->nviews; i++)
		for (uint32_t slot = 0; slot < state_slots_used(f->views[i]); slot++)
			assert(walk_slot(f->views[i], slot, f->image, front_add, &v) ==
			       0);
	return v.value;
}
