/* SPDX-License-Identifier: MIT */
/*
 * Common instructions by a table look-up for opcode and ModRM; decode_quick() reads the
 * others. What both can read they must read alike: tests/unit/disasm/brief.c and
 * tests/survey compare them.
 *
 * A processor waits for each look-up, and for each branch that it could not predict. So
 * the first eight bytes are loaded at once, and what is the same for all opcodes is
 * computed without branches.
 */
#include "disasm/disasm.h"

#include "vm/base/bytes.h"

#include <string.h>

/*
 * A row: has ModRM (bit 0); bytes of the immediate or relative target, four bits each:
 * without prefix, with 66, with REX.W, with both; kind; flags.
 */
#define ROW_MODRM  1u
#define ROW_IMM	   4 /* first bit */
#define ROW_KIND   20
#define ROW_PREFIX (1u << 24) /* 66, F2, F3, segments */
#define ROW_BRANCH (1u << 25) /* near: with prefix 66 it is not read here */
#define ROW_GROUP  (1u << 26) /* ModRM says what it is */
#define ROW_LEADER (1u << 27) /* another opcode byte follows */
#define ROW_RARE   (1u << 28) /* not read here */

#define ROW(modrm, imm, imm_66, imm_rex)                                               \
	((modrm) | (imm) << 4 | (imm_66) << 8 | (imm_rex) << 12 | (imm_rex) << 16)
#define KIND(kind)	  ((uint32_t)(kind) << ROW_KIND)
#define BRANCH(kind, imm) (ROW(0, imm, imm, imm) | KIND(kind) | ROW_BRANCH)

#define __ ROW_RARE
#define pf (ROW_RARE | ROW_PREFIX)
#define no ROW(0, 0, 0, 0)
#define ib ROW(0, 1, 1, 1)
#define iz ROW(0, 4, 2, 4) /* imm16 or imm32 */
#define iv ROW(0, 4, 2, 8)
#define mo ROW(1, 0, 0, 0)
#define mb ROW(1, 1, 1, 1)
#define mz ROW(1, 4, 2, 4)
#define yb (mb | ROW_GROUP) /* c6 */
#define yz (mz | ROW_GROUP) /* c7 */
#define gb (mb | ROW_GROUP) /* group 3 */
#define gz (mz | ROW_GROUP)
#define g5 (mo | ROW_GROUP | ROW_BRANCH) /* group 5 */
#define t8 (mo | ROW_LEADER)		 /* 0F38 */
#define ta (mb | ROW_LEADER)		 /* 0F3A */
#define vx ROW_LEADER			 /* VEX */
#define i3 (no | KIND(INSN_INT))
#define sy (no | KIND(INSN_SYSCALL))
#define jb BRANCH(INSN_JCC, 1)
#define jz BRANCH(INSN_JCC, 4)
#define kb BRANCH(INSN_JMP, 1)
#define kz BRANCH(INSN_JMP, 4)
#define lb BRANCH(INSN_LOOP, 1)
#define cz BRANCH(INSN_CALL, 4)
#define re BRANCH(INSN_RET, 0)
#define rw BRANCH(INSN_RET, 2)

/* clang-format off */
static const uint32_t rows[2 * 256] = {
	/* one byte */
	mo, mo, mo, mo, ib, iz, __, __, mo, mo, mo, mo, ib, iz, __, __, /* 00 */
	mo, mo, mo, mo, ib, iz, __, __, mo, mo, mo, mo, ib, iz, __, __, /* 10 */
	mo, mo, mo, mo, ib, iz, pf, __, mo, mo, mo, mo, ib, iz, pf, __, /* 20 */
	mo, mo, mo, mo, ib, iz, pf, __, mo, mo, mo, mo, ib, iz, pf, __, /* 30 */
	__, __, __, __, __, __, __, __, __, __, __, __, __, __, __, __, /* 40 */
	no, no, no, no, no, no, no, no, no, no, no, no, no, no, no, no, /* 50 */
	__, __, __, mo, pf, pf, pf, __, iz, mz, ib, mb, no, no, no, no, /* 60 */
	jb, jb, jb, jb, jb, jb, jb, jb, jb, jb, jb, jb, jb, jb, jb, jb, /* 70 */
	mb, mz, __, mb, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, __, /* 80 */
	no, no, no, no, no, no, no, no, no, no, __, no, no, no, no, no, /* 90 */
	__, __, __, __, no, no, no, no, ib, iz, no, no, no, no, no, no, /* A0 */
	ib, ib, ib, ib, ib, ib, ib, ib, iv, iv, iv, iv, iv, iv, iv, iv, /* B0 */
	mb, mb, rw, re, vx, vx, yb, yz, __, no, __, __, i3, __, __, __, /* C0 */
	mo, mo, mo, mo, __, __, __, no, mo, mo, mo, mo, mo, mo, mo, mo, /* D0 */
	lb, lb, lb, lb, ib, ib, ib, ib, cz, kz, __, kb, no, no, no, no, /* E0 */
	__, __, pf, pf, __, no, gb, gz, no, no, no, no, no, no, mo, g5, /* F0 */
	/* 0F */
	mo, __, mo, mo, __, sy, no, __, no, no, __, __, __, mo, no, __, /* 00 */
	mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, /* 10 */
	__, __, __, __, __, __, __, __, mo, mo, mo, mo, mo, mo, mo, mo, /* 20 */
	no, no, no, no, __, __, __, no, t8, __, ta, __, __, __, __, __, /* 30 */
	mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, /* 40 */
	mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, /* 50 */
	mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, /* 60 */
	mb, mb, mb, mb, mo, mo, mo, no, __, mo, __, __, mo, mo, mo, mo, /* 70 */
	jz, jz, jz, jz, jz, jz, jz, jz, jz, jz, jz, jz, jz, jz, jz, jz, /* 80 */
	mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, /* 90 */
	no, no, no, mo, mb, mo, mo, mo, no, no, __, mo, mb, mo, mo, mo, /* A0 */
	mo, mo, mo, mo, mo, mo, mo, mo, mo, __, mb, mo, mo, mo, mo, mo, /* B0 */
	mo, mo, mb, mo, mb, mb, mb, mo, no, no, no, no, no, no, no, no, /* C0 */
	mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, /* D0 */
	mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, /* E0 */
	mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, mo, __, /* F0 */
};
/* clang-format on */

/*
 * By ModRM: how many bytes of SIB and displacement follow it; whether SIB does; whether
 * that may ask for four more; whether the operand is rip-relative.
 */
#define SIB	 0x10u
#define SIB_MORE 0x20u
#define RIP	 0x40u

#define EIGHT(a, b, c) a, a, a, a, b, c, a, a
#define MODE(a, b, c)                                                                  \
	EIGHT(a, b, c), EIGHT(a, b, c), EIGHT(a, b, c), EIGHT(a, b, c),                \
		EIGHT(a, b, c), EIGHT(a, b, c), EIGHT(a, b, c), EIGHT(a, b, c)

static const uint8_t operands[256] = {
	MODE(0, 1 | SIB | SIB_MORE, 4 | RIP),
	MODE(1, 2 | SIB, 1),
	MODE(4, 5 | SIB, 4),
	MODE(0, 0, 0),
};

#define PREFIXES_MAX 4
#define LOOKED_AT    INSN_ROOM /* bytes that may be looked at */

#define REX_X 2u

struct reader {
	const uint8_t *bytes;
	unsigned at;   /* of the byte after the opcode */
	uint64_t word; /* from the opcode on */
	uint32_t row;
	unsigned rex, has_66;
	bool is_vector;
};

static uint64_t load(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

static void read_prefixes(struct reader *r)
{
	while (rows[r->bytes[r->at]] & ROW_PREFIX && r->at < PREFIXES_MAX)
		r->has_66 |= r->bytes[r->at++] == 0x66;
	r->word = load(r->bytes + r->at);
}

static void read_opcode(struct reader *r)
{
	unsigned has_rex;

	r->word = load(r->bytes);
	if (rows[r->word & 0xff] & ROW_PREFIX)
		read_prefixes(r);
	has_rex = (r->word & 0xf0) == 0x40;
	r->rex = (unsigned)r->word & 0xff & -has_rex;
	r->word >>= has_rex * 8;
	r->at += has_rex + 1;
	if ((r->word & 0xff) == 0x0f) {
		r->word >>= 8;
		r->at++;
		r->row = rows[256 + (r->word & 0xff)];
	} else {
		r->row = rows[r->word & 0xff];
	}
}

static uint32_t vector_row(unsigned map, unsigned opcode)
{
	if (map == 2 || map == 3)
		return map == 2 ? mo : mb;
	if (map != 1)
		return __;
	if (opcode == 0x77)
		return no;
	return (opcode & 0xfc) == 0x70 || opcode == 0xc2 ||
			       (opcode >= 0xc4 && opcode <= 0xc6)
		       ? mb
		       : mo;
}

/* With a prefix or REX before it VEX is not read here. */
static void read_vex(struct reader *r)
{
	bool is_long = (r->word & 0xff) == 0xc4;
	unsigned map = is_long ? r->bytes[1] & 0x1f : 1;

	r->is_vector = true;
	r->at = is_long ? 4 : 3;
	r->word = load(r->bytes + r->at - 1);
	r->row = vector_row(map, (unsigned)r->word & 0xff);
}

static void read_leader(struct reader *r)
{
	if (r->row != vx) { /* 0F38, 0F3A */
		r->word >>= 8;
		r->at++;
	} else if (r->at == 1) {
		read_vex(r);
	} else {
		r->row = __;
	}
}

/* What ModRM says about an opcode; false: it is not read here. */
static bool read_group(const struct reader *r, unsigned *imm, struct insn_brief *out)
{
	unsigned modrm = r->word >> 8 & 0xff, reg = modrm >> 3 & 7;

	switch (out->opcode) {
	case 0xf6:
	case 0xf7:
		*imm = reg < 2 ? *imm : 0;
		return true;
	case 0xff:
		if (reg == 2 || reg == 4)
			out->kind = reg == 2 ? INSN_CALL_INDIRECT : INSN_JMP_INDIRECT;
		return reg != 3 && reg != 5;
	default: /* c6 f8 and c7 f8 are xabort and xbegin */
		return modrm != 0xf8;
	}
}

/* Returns the bytes of ModRM, SIB and displacement. */
static unsigned read_operand(const struct reader *r, struct insn_brief *out)
{
	unsigned has_modrm = r->row & ROW_MODRM;
	unsigned operand = operands[r->word >> 8 & 0xff] & -has_modrm;
	unsigned sib = r->word >> 16 & 0xff;
	unsigned n = has_modrm + (operand & 15);

	out->scale = 0;
	out->is_rip_relative = operand & RIP;
	if (operand & SIB) {
		bool is_indexed = (sib >> 3 & 7) != 4 || r->rex & REX_X;

		out->scale = (uint8_t)((is_indexed & !r->is_vector) << (sib >> 6));
		n += operand & SIB_MORE && (sib & 7) == 5 ? 4 : 0;
	}
	return n;
}

/* Of the n bytes before end, n 1 or 4; any other is of no use. */
static int64_t distance(const uint8_t *end, unsigned n)
{
	int32_t v;

	memcpy(&v, end - n, sizeof(v));
	return n == 1 ? (int8_t)v : v;
}

/* False: it is not read here. */
static bool read_common(const uint8_t *bytes, taddr addr, struct insn_brief *out)
{
	struct reader r = {.bytes = bytes};
	unsigned imm, len;

	read_opcode(&r);
	if (r.row & ROW_LEADER)
		read_leader(&r);
	imm = r.row >> (ROW_IMM + 4 * ((r.rex >> 2 & 2) | r.has_66)) & 15;
	out->opcode = (uint8_t)r.word;
	out->kind = r.row >> ROW_KIND & 15;
	out->is_far_call = false;
	if (r.row & (ROW_RARE | ROW_GROUP) || r.has_66) {
		if (r.row & ROW_RARE || (r.has_66 && r.row & ROW_BRANCH) ||
		    (r.row & ROW_GROUP && !read_group(&r, &imm, out)))
			return false;
	}
	len = r.at + read_operand(&r, out) + imm;
	out->len = (uint8_t)len;
	out->ends_in_disp = out->is_rip_relative & !imm;
	out->is_lea = (out->opcode == 0x8d) & out->ends_in_disp & !r.is_vector;
	out->target =
		taddr_add(addr, len + distance(bytes + len, out->is_lea ? 4 : imm));
	return len <= INSN_MAX;
}

/* The displacement of a rip-relative operand. */
static int64_t disp_of(const struct insn *in)
{
	return (int32_t)bytes_load(in->bytes + in->disp_offset, 4);
}

bool insn_names(const struct insn_brief *in, taddr at, const uint8_t *bytes, taddr *out)
{
	struct insn full;

	if (!in->is_rip_relative)
		return false;
	if (in->ends_in_disp) {
		*out = taddr_add(at, in->len + distance(bytes + in->len, 4));
		return true;
	}
	if (decode_quick(bytes, in->len, at, &full) != 0 || !full.rip_relative)
		return false;
	*out = taddr_add(at, in->len + disp_of(&full));
	return true;
}

int decode_brief(const uint8_t *bytes, size_t n, taddr addr, struct insn_brief *out)
{
	struct insn in;
	int err;

	if (n >= LOOKED_AT && read_common(bytes, addr, out))
		return 0;
	err = decode_quick(bytes, n, addr, &in);
	if (err)
		return err;
	*out = (struct insn_brief){
		.target = in.target,
		.len = in.len,
		.kind = (uint8_t)in.kind,
		.opcode = in.opcode,
		.is_rip_relative = in.rip_relative,
		.ends_in_disp = in.rip_relative && in.disp_offset + 4 == in.len,
		.is_far_call = in.is_far_call,
	};
	out->is_lea = in.opcode == 0x8d && in.has_mem && out->ends_in_disp;
	if (in.has_mem && in.mem.index != INSN_NO_REG)
		out->scale = in.mem.scale;
	if (out->is_lea)
		out->target = taddr_add(addr, in.len + disp_of(&in));
	return 0;
}

#define BIT(kind) (UINT64_C(1) << (kind))

/* Whether control may go on elsewhere than in the n bytes that begin at address 0. */
static bool leads_out(const struct insn_brief *in, size_t n)
{
	const uint64_t branches = BIT(INSN_JMP) | BIT(INSN_JCC) | BIT(INSN_LOOP);
	const uint64_t insides = BIT(INSN_OTHER) | BIT(INSN_CALL) |
				 BIT(INSN_CALL_INDIRECT) | BIT(INSN_SYSCALL) |
				 BIT(INSN_INT);

	if (BIT(in->kind) & branches)
		return in->target.v >= n;
	return !(BIT(in->kind) & insides);
}

static bool names_inside(const struct insn_brief *in, size_t at, const uint8_t *bytes,
			 size_t n)
{
	taddr named;

	return in->is_rip_relative && insn_names(in, taddr_of(at), bytes, &named) &&
	       named.v && named.v < n;
}

size_t insns_inside(const uint8_t *bytes, size_t n, size_t room, size_t at)
{
	struct insn_brief in;

	while (at < n && room - at >= LOOKED_AT &&
	       read_common(bytes + at, taddr_of(at), &in) && in.len <= n - at &&
	       !leads_out(&in, n) && !names_inside(&in, at, bytes + at, n))
		at += in.len;
	return at;
}
