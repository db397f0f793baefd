/* SPDX-License-Identifier: MIT */
/*
 * Common instructions by one table look-up for each of their bytes; decode_quick() reads
 * the others. What both can read they must read alike: tests/unit/disasm/brief.c and
 * tests/survey compare them.
 */
#include "disasm/disasm.h"

#include "vm/base/bytes.h"

/*
 * What follows an opcode, one letter each:
 *
 *	-  not read here	p  prefix: 66, F2, F3, segments
 *	.  nothing		m  ModRM
 *	b  imm8			M  ModRM imm8
 *	z  imm16 or imm32	Z  ModRM imm16 or imm32
 *	v  imm16, 32 or 64	Y  M, but xabort is not read here
 *	g  ModRM, group 3	X  Z, but xbegin is not read here
 *	G  the same, wide	5  ModRM, group 5
 *	j  jcc rel8		J  jcc rel32
 *	k  jmp rel8		K  jmp rel32
 *	l  loop rel8		c  call rel32
 *	r  ret			R  ret imm16
 *	i  int3			y  syscall
 *	E  0F			V  VEX
 *	T  0F38			U  0F3A
 */
static const char one_byte[] = "mmmmbz--mmmmbz-E"  /* 00 */
			       "mmmmbz--mmmmbz--"  /* 10 */
			       "mmmmbzp-mmmmbzp-"  /* 20 */
			       "mmmmbzp-mmmmbzp-"  /* 30 */
			       "----------------"  /* 40: REX is read before */
			       "................"  /* 50 */
			       "---mppp-zZbM...."  /* 60 */
			       "jjjjjjjjjjjjjjjj"  /* 70 */
			       "MZ-Mmmmmmmmmmmm-"  /* 80 */
			       "..........-....."  /* 90 */
			       "----....bz......"  /* A0 */
			       "bbbbbbbbvvvvvvvv"  /* B0 */
			       "MMRrVVYX-.--i---"  /* C0 */
			       "mmmm---.mmmmmmmm"  /* D0 */
			       "llllbbbbcK-k...."  /* E0 */
			       "--pp-.gG......m5"; /* F0 */

static const char map_0f[] = "m-mm-y.-..---m.-"	 /* 00 */
			     "mmmmmmmmmmmmmmmm"	 /* 10 */
			     "--------mmmmmmmm"	 /* 20 */
			     "....---.T-U-----"	 /* 30 */
			     "mmmmmmmmmmmmmmmm"	 /* 40 */
			     "mmmmmmmmmmmmmmmm"	 /* 50 */
			     "mmmmmmmmmmmmmmmm"	 /* 60 */
			     "MMMMmmm.-m--mmmm"	 /* 70 */
			     "JJJJJJJJJJJJJJJJ"	 /* 80 */
			     "mmmmmmmmmmmmmmmm"	 /* 90 */
			     "...mMmmm..-mMmmm"	 /* A0 */
			     "mmmmmmmmm-Mmmmmm"	 /* B0 */
			     "mmMmMMMm........"	 /* C0 */
			     "mmmmmmmmmmmmmmmm"	 /* D0 */
			     "mmmmmmmmmmmmmmmm"	 /* E0 */
			     "mmmmmmmmmmmmmmm-"; /* F0 */

_Static_assert(sizeof(one_byte) == 257 && sizeof(map_0f) == 257, "256 opcodes each");

struct shape {
	bool is_read; /* here */
	bool has_modrm;
	uint8_t imm;	 /* bytes of the immediate or relative target */
	uint8_t imm_66;	 /* with prefix 66 and without REX.W */
	uint8_t imm_rex; /* with REX.W */
	uint8_t kind;
	bool is_branch;	 /* near: prefix 66 is not read here */
	bool has_target; /* the immediate is its distance */
};

#define SHAPE(modrm, imm, imm_66, imm_rex)                                             \
	{                                                                              \
		true, modrm, imm, imm_66, imm_rex, INSN_OTHER, false, false            \
	}
#define JUMP(kind, imm)                                                                \
	{                                                                              \
		true, false, imm, imm, imm, kind, true, true                           \
	}

static const struct shape shapes[128] = {
	['.'] = SHAPE(false, 0, 0, 0),
	['b'] = SHAPE(false, 1, 1, 1),
	['z'] = SHAPE(false, 4, 2, 4),
	['v'] = SHAPE(false, 4, 2, 8),
	['m'] = SHAPE(true, 0, 0, 0),
	['M'] = SHAPE(true, 1, 1, 1),
	['Y'] = SHAPE(true, 1, 1, 1),
	['Z'] = SHAPE(true, 4, 2, 4),
	['X'] = SHAPE(true, 4, 2, 4),
	['g'] = SHAPE(true, 1, 1, 1),
	['G'] = SHAPE(true, 4, 2, 4),
	['T'] = SHAPE(true, 0, 0, 0),
	['U'] = SHAPE(true, 1, 1, 1),
	['5'] = {true, true, .is_branch = true},
	['i'] = {true, .kind = INSN_INT},
	['y'] = {true, .kind = INSN_SYSCALL},
	['j'] = JUMP(INSN_JCC, 1),
	['J'] = JUMP(INSN_JCC, 4),
	['k'] = JUMP(INSN_JMP, 1),
	['K'] = JUMP(INSN_JMP, 4),
	['l'] = JUMP(INSN_LOOP, 1),
	['c'] = JUMP(INSN_CALL, 4),
	['r'] = {true, .kind = INSN_RET, .is_branch = true},
	['R'] = {true, false, 2, 2, 2, INSN_RET, .is_branch = true},
};

#define PREFIXES_MAX 4
/* Bytes that may be looked at. */
#define LOOKED_AT 24

#define REX_W 8
#define REX_X 2

struct reader {
	const uint8_t *at;
	uint8_t opcode, letter, rex, modrm;
	bool has_66, is_vector;
};

static void read_prefixes(struct reader *r)
{
	for (int i = 0; one_byte[*r->at] == 'p' && i < PREFIXES_MAX; i++)
		r->has_66 |= *r->at++ == 0x66;
}

/* With a prefix or REX before it VEX is not read here. */
static char read_vex(struct reader *r, const uint8_t *begin)
{
	uint8_t map = 1;

	if (r->at - begin != 1)
		return '-';
	r->is_vector = true;
	if (r->opcode == 0xc4)
		map = *r->at++ & 0x1f;
	r->at++;
	r->opcode = *r->at++;
	if (map == 2 || map == 3)
		return map == 2 ? 'T' : 'U';
	if (map != 1)
		return '-';
	if (r->opcode == 0x77)
		return '.';
	return (r->opcode & 0xfc) == 0x70 || r->opcode == 0xc2 ||
			       (r->opcode >= 0xc4 && r->opcode <= 0xc6)
		       ? 'M'
		       : 'm';
}

static const struct shape *read_opcode(struct reader *r)
{
	const uint8_t *begin = r->at;
	bool has_rex;
	char letter;

	if (one_byte[*begin] == 'p')
		read_prefixes(r);
	has_rex = (*r->at & 0xf0) == 0x40;
	r->rex = has_rex ? *r->at : 0;
	r->at += has_rex;
	r->opcode = *r->at++;
	letter = one_byte[r->opcode];
	if (letter == 'E') {
		r->opcode = *r->at++;
		letter = map_0f[r->opcode];
		if (letter == 'T' || letter == 'U')
			r->opcode = *r->at++;
	} else if (letter == 'V') {
		letter = read_vex(r, begin);
	}
	r->letter = (uint8_t)letter;
	return &shapes[r->letter];
}

/* Bytes after ModRM: SIB, and the displacement unless SIB asks for it. */
static const uint8_t after_modrm[4][8] = {
	{0, 0, 0, 0, 1, 4, 0, 0},
	{1, 1, 1, 1, 2, 1, 1, 1},
	{4, 4, 4, 4, 5, 4, 4, 4},
	{0, 0, 0, 0, 0, 0, 0, 0},
};

/* Returns the bytes of the displacement that it asks for. */
static unsigned read_sib(const struct reader *r, struct insn_brief *out)
{
	uint8_t sib = *r->at;

	if (!r->is_vector && ((sib >> 3 & 7) != 4 || r->rex & REX_X))
		out->scale = (uint8_t)(1 << (sib >> 6));
	return r->modrm < 0x40 && (sib & 7) == 5 ? 4 : 0;
}

static void read_modrm(struct reader *r, struct insn_brief *out)
{
	unsigned more;

	r->modrm = *r->at++;
	more = after_modrm[r->modrm >> 6][r->modrm & 7];
	if (r->modrm < 0xc0 && (r->modrm & 7) == 4)
		more += read_sib(r, out);
	r->at += more;
	out->is_rip_relative = (r->modrm & 0xc7) == 5;
}

/* What ModRM says about an opcode; false: it is not read here. */
static bool read_group(const struct reader *r, unsigned *imm, struct insn_brief *out)
{
	unsigned reg = r->modrm >> 3 & 7;

	switch (r->letter) {
	case 'X':
	case 'Y':
		return r->modrm != 0xf8;
	case 'g':
	case 'G':
		*imm = reg < 2 ? *imm : 0;
		return true;
	case '5':
		if (reg == 2 || reg == 4)
			out->kind = reg == 2 ? INSN_CALL_INDIRECT : INSN_JMP_INDIRECT;
		return reg != 3 && reg != 5;
	default:
		return true;
	}
}

static int64_t distance(const uint8_t *end, unsigned size)
{
	return size == 1 ? (int8_t)end[-1] : (int32_t)bytes_load(end - 4, 4);
}

/* False: it is not read here. */
static bool read_common(const uint8_t *bytes, taddr addr, struct insn_brief *out)
{
	struct reader r = {.at = bytes};
	const struct shape *shape = read_opcode(&r);
	unsigned imm = r.rex & REX_W ? shape->imm_rex
		       : r.has_66    ? shape->imm_66
				     : shape->imm;

	if (!shape->is_read || (r.has_66 && shape->is_branch))
		return false;
	*out = (struct insn_brief){.kind = shape->kind, .opcode = r.opcode};
	if (shape->has_modrm) {
		read_modrm(&r, out);
		if (!read_group(&r, &imm, out))
			return false;
	}
	out->ends_in_disp = out->is_rip_relative && !imm;
	out->is_lea = r.opcode == 0x8d && out->ends_in_disp && !r.is_vector;
	r.at += imm;
	if (r.at - bytes > INSN_MAX)
		return false;
	out->len = (uint8_t)(r.at - bytes);
	if (shape->has_target || out->is_lea)
		out->target = taddr_add(addr, out->len + distance(r.at, imm ? imm : 4));
	return true;
}

/* The displacement of a rip-relative operand. */
static int64_t disp_of(const struct insn *in)
{
	return (int32_t)bytes_load(in->bytes + in->disp_offset, 4);
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

bool insn_brief_falls_through(const struct insn_brief *in)
{
	const struct insn whole = {.kind = in->kind, .is_far_call = in->is_far_call};

	return insn_falls_through(&whole);
}
