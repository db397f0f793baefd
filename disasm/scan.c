/* SPDX-License-Identifier: MIT */
#include "disasm/disasm.h"

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
	int err = decode_brief(req->bytes + at, req->n - at, pc, &brief);

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

int scan_function(const struct scan_request *req, uint32_t *bad)
{
	struct scan_site site;
	uint32_t at = 0;
	int err;

	if (req->nranges == 0 || req->n > UINT32_MAX)
		return STATUS_INVAL;
	for (;;) {
		at = skip(req, at);
		if (at >= req->n)
			return 0;
		err = read_insn(req, at, &site);
		if (err) {
			*bad = at;
			return err;
		}
		if (!req->exits_only || site.is_exit || site.is_maybe)
			req->site(req->ctx, &site);
		at += site.len;
	}
}
