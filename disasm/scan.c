/* SPDX-License-Identifier: MIT */
#include "disasm/disasm.h"

#include "disasm/flow.h"
#include "vm/base/host/vec.h"
#include "vm/base/status.h"

static bool is_inside(const struct scan_request *req, taddr pc)
{
	for (size_t i = 0; i < req->nranges; i++) {
		if (addr_range_holds(&req->ranges[i], pc))
			return true;
	}
	return false;
}

static struct scan_site site_of(const struct scan_request *req, uint32_t offset,
				const struct insn_brief *in)
{
	struct scan_site s = {.offset = offset, .len = in->len};

	switch (in->kind) {
	case INSN_RET:
		s.is_exit = true;
		break;
	case INSN_JMP:
	case INSN_JCC:
	case INSN_LOOP:
		s.is_exit = !is_inside(req, in->target);
		break;
	case INSN_JMP_INDIRECT:
		s.is_maybe = true;
		break;
	case INSN_FAR:
		/*
		 * a far return leaves; only the operand of a far jump says where it
		 * goes
		 */
		s.is_exit = !insn_brief_falls_through(in) && in->opcode != 0xff;
		s.is_maybe = !insn_brief_falls_through(in) && in->opcode == 0xff;
		break;
	default:
		break;
	}
	return s;
}

/*
 * The rules of encoding give the boundaries. Only instructions that may get a return
 * probe are confirmed by decode().
 */
static int read_insn(const struct scan_request *req, uint32_t at,
		     struct scan_site *site)
{
	taddr pc = taddr_add(req->ranges[0].lo, at);
	struct insn_brief brief;
	struct insn in;
	int err = flow_read(req, at, &brief);

	if (err)
		return err;
	*site = site_of(req, at, &brief);
	return !req->is_quick && (site->is_exit || site->is_maybe)
		       ? decode(req->bytes + at, req->n - at, pc, &in)
		       : 0;
}

bool scan_is_exit(const struct scan_request *req, uint32_t offset)
{
	struct scan_request confirmed = *req;
	struct scan_site site;

	confirmed.is_quick = false;
	return req->nranges && offset < req->n &&
	       read_insn(&confirmed, offset, &site) == 0 &&
	       (site.is_exit || site.is_maybe);
}

/* Behind instructions at `at` that are no exits. */
static uint32_t skip(const struct scan_request *req, uint32_t at)
{
	size_t room = max_u64(req->room, req->n);

	if (!req->exits_only || req->n > req->ranges[0].hi.v - req->ranges[0].lo.v)
		return at;
	return (uint32_t)insns_inside(req->bytes, req->n, room, at);
}

/* Exits that decode() has not confirmed. */
struct found {
	struct scan_site *data; /* vec */
	size_t len, cap;
};

/*
 * Reads one instruction after the other, and finds the exits, until one names bytes of
 * the function: is_mixed. Returns the status of the last one, which is *bad.
 */
static int find_exits(const struct scan_request *asked, struct found *out,
		      uint32_t *bad, bool *is_mixed)
{
	struct scan_request req = *asked;
	uint32_t at = 0;

	req.exits_only = req.is_quick = true;
	while ((at = skip(&req, at)) < req.n) {
		struct insn_brief in;
		struct scan_site site;
		int err = flow_read(&req, at, &in);

		*bad = at;
		if (err)
			return err;
		*is_mixed = flow_names_itself(&req, &in, at);
		if (*is_mixed)
			return 0;
		site = site_of(&req, at, &in);
		if (site.is_exit || site.is_maybe)
			*vec_push(out) = site;
		at += in.len;
	}
	return 0;
}

/* Tells of the instruction, if it is wanted. A status of decode(): it is none. */
static int tell(const struct scan_request *req, uint32_t at, uint32_t *len)
{
	struct scan_site site = {0};
	int err = read_insn(req, at, &site);

	*len = site.len;
	if (!err && (!req->exits_only || site.is_exit || site.is_maybe))
		req->site(req->ctx, &site);
	return err;
}

/* All instructions, one after the other. */
static int tell_all(const struct scan_request *req, uint32_t *bad)
{
	uint32_t len;
	int err = 0;

	for (uint32_t at = 0; at < req->n && !err; at += len) {
		*bad = at;
		err = tell(req, at, &len);
	}
	return err;
}

static int tell_exits(const struct scan_request *req, const struct found *found,
		      uint32_t *bad)
{
	uint32_t len;
	int err = 0;

	for (size_t i = 0; i < found->len && !err; i++) {
		*bad = found->data[i].offset;
		err = tell(req, *bad, &len);
	}
	return err;
}

/* Those that control may reach, of a function that names bytes of its own. */
static int tell_mixed(const struct scan_request *req, uint32_t *bad)
{
	uint32_t at = 0, end = 0, len = 0;
	struct flow flow;
	const uint32_t n = flow_find(&flow, req);
	int err = 0;

	while (at < n && !err) {
		at = flow_next(&flow, at, n, &end);
		if (at > end && req->data)
			req->data(req->ctx, end, at - end);
		*bad = at;
		if (at < n)
			err = tell(req, at, &len);
		end = at++ + len;
	}
	flow_release(&flow);
	*bad = err ? *bad : n;
	return err || n == req->n ? err : STATUS_BADFMT;
}

int scan_function(const struct scan_request *req, uint32_t *bad)
{
	struct found found = {0};
	uint32_t confirmed = 0, at = 0;
	bool is_mixed = false;
	int err, told;

	if (req->nranges == 0 || req->n > UINT32_MAX)
		return STATUS_INVAL;
	err = find_exits(req, &found, &at, &is_mixed);
	if (is_mixed)
		told = tell_mixed(req, &confirmed);
	else
		told = req->exits_only ? tell_exits(req, &found, &confirmed)
				       : tell_all(req, &confirmed);
	vec_release(&found);
	if (told || (err && !is_mixed))
		*bad = told ? confirmed : at;
	return told || is_mixed ? told : err;
}
