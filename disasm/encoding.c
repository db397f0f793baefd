/* SPDX-License-Identifier: MIT */
#include "disasm/encoding.h"

#include "disasm/disasm.h"
#include "vm/base/status.h"

#include <string.h>

/*
 * What follows an opcode, one letter each:
 *
 *	x  no instruction, or handled before the table is read
 *	.  nothing		m  ModRM
 *	b  imm8			M  ModRM imm8
 *	z  imm16 or imm32	Z  ModRM imm16 or imm32
 *	w  imm16		e  imm16 imm8 (enter)
 *	v  imm16, 32 or 64	o  an address (moffs)
 *	r  rel32		q  ModRM, with 66 or F2 two imm8 (extrq, insertq)
 *	g  ModRM, imm8 when reg is 0 or 1 (group 3: test)
 *	G  the same with imm16 or imm32
 *	c  ModRM that always names registers (control and debug registers)
 */
static const char one_byte[] = "mmmmbzxxmmmmbzxx"  /* 00 */
			       "mmmmbzxxmmmmbzxx"  /* 10 */
			       "mmmmbzxxmmmmbzxx"  /* 20 */
			       "mmmmbzxxmmmmbzxx"  /* 30 */
			       "xxxxxxxxxxxxxxxx"  /* 40: REX */
			       "................"  /* 50 */
			       "xxxmxxxxzZbM...."  /* 60 */
			       "bbbbbbbbbbbbbbbb"  /* 70 */
			       "MZxMmmmmmmmmmmmm"  /* 80 */
			       "..........x....."  /* 90 */
			       "oooo....bz......"  /* A0 */
			       "bbbbbbbbvvvvvvvv"  /* B0 */
			       "MMw.xxMZe.w..bx."  /* C0 */
			       "mmmmxxx.mmmmmmmm"  /* D0 */
			       "bbbbbbbbrrxb...."  /* E0 */
			       "x.xx..gG......mm"; /* F0 */

static const char map_0f[] = "mmmmx.....x.xm.M"	 /* 00; 0F is 3DNow!: its suffix */
			     "mmmmmmmmmmmmmmmm"	 /* 10 */
			     "ccccxxxxmmmmmmmm"	 /* 20 */
			     "......x.xxxxxxxx"	 /* 30; 38 and 3A lead on */
			     "mmmmmmmmmmmmmmmm"	 /* 40 */
			     "mmmmmmmmmmmmmmmm"	 /* 50 */
			     "mmmmmmmmmmmmmmmm"	 /* 60 */
			     "MMMMmmm.qmxxmmmm"	 /* 70 */
			     "rrrrrrrrrrrrrrrr"	 /* 80 */
			     "mmmmmmmmmmmmmmmm"	 /* 90 */
			     "...mMmmm...mMmmm"	 /* A0 */
			     "mmmmmmmmmmMmmmmm"	 /* B0 */
			     "mmMmMMMm........"	 /* C0 */
			     "mmmmmmmmmmmmmmmm"	 /* D0 */
			     "mmmmmmmmmmmmmmmm"	 /* E0 */
			     "mmmmmmmmmmmmmmmm"; /* F0; FF is ud0, with ModRM (SDM) */

_Static_assert(sizeof(one_byte) == 257 && sizeof(map_0f) == 257, "256 opcodes each");

/* Reading past the end gives 0; the caller checks at > n once, at the end. */
struct cursor {
	const uint8_t *bytes;
	size_t n, at;
};

static uint8_t next(struct cursor *c)
{
	uint8_t b = c->at < c->n ? c->bytes[c->at] : 0;

	c->at++;
	return b;
}

static bool note_prefix(struct encoding *e, uint8_t b)
{
	switch (b) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
		return true;
	case 0x64:
	case 0x65:
		e->segment = b == 0x64 ? 'f' : 'g';
		return true;
	case 0x66:
		e->opsize16 = true;
		return true;
	case 0x67:
		e->addr32 = true;
		return true;
	case 0xf0:
		e->lock = true;
		return true;
	case 0xf2:
	case 0xf3:
		e->repeat = b;
		return true;
	default:
		return false;
	}
}

/* Returns the first byte that is no prefix. REX has an effect only right before it. */
static uint8_t read_prefixes(struct cursor *c, struct encoding *e)
{
	uint8_t b;

	for (;;) {
		b = next(c);
		if (c->at > c->n)
			return 0;
		if (note_prefix(e, b))
			e->rex = 0;
		else if ((b & 0xf0) == 0x40)
			e->rex = b;
		else
			return b;
	}
}

/* Opcode maps 1, 2, 3 of VEX and EVEX are 0F, 0F38, 0F3A; 5 and 6 are AVX512-FP16. */
static char vector_form(uint8_t map, uint8_t opcode, bool is_evex)
{
	switch (map) {
	case 1:
		if (opcode == 0x77)
			return is_evex ? 'x' : '.'; /* vzeroupper, vzeroall */
		if ((opcode & 0xfc) == 0x70 || opcode == 0xc2)
			return 'M';
		return opcode >= 0xc4 && opcode <= 0xc6 ? 'M' : 'm';
	case 2:
		return 'm';
	case 3:
		return 'M';
	case 5:
	case 6:
		return is_evex ? 'm' : 'x';
	default:
		return 'x';
	}
}

static char xop_form(uint8_t map)
{
	switch (map) {
	case 8:
		return 'M';
	case 9:
		return 'm';
	case 10:
		return 'Z';
	default:
		return 'x';
	}
}

/* After 62, C4, C5 or 8F, before which REX, 66, F2, F3 and F0 are invalid. */
static char read_vector(struct cursor *c, struct encoding *e, uint8_t lead)
{
	uint8_t map = 1, first = next(c);

	if (e->rex || e->opsize16 || e->repeat || e->lock)
		return 'x';
	e->map = lead == 0x8f ? ENCODING_XOP : ENCODING_VECTOR;
	if (lead == 0x62) {
		if (first & 0x08)
			return 'x'; /* reserved, or APX registers */
		map = first & 0x07;
		next(c);
		next(c);
	} else if (lead != 0xc5) {
		map = first & 0x1f;
		next(c);
	}
	e->opcode = next(c);
	if (lead == 0x8f)
		return xop_form(map);
	return vector_form(map, e->opcode, lead == 0x62);
}

static char read_escaped(struct cursor *c, struct encoding *e)
{
	e->opcode = next(c);
	if (e->opcode != 0x38 && e->opcode != 0x3a) {
		e->map = ENCODING_0F;
		return map_0f[e->opcode];
	}
	e->map = e->opcode == 0x38 ? ENCODING_0F38 : ENCODING_0F3A;
	e->opcode = next(c);
	return e->map == ENCODING_0F38 ? 'm' : 'M';
}

/* Whether 8F begins XOP. In pop, ModRM.reg is 0: the low five bits are below 8. */
static bool is_xop(const struct cursor *c)
{
	return c->at < c->n && (c->bytes[c->at] & 0x1f) >= 8;
}

static char read_opcode(struct cursor *c, struct encoding *e)
{
	uint8_t b = read_prefixes(c, e);

	if (b == 0x62 || b == 0xc4 || b == 0xc5 || (b == 0x8f && is_xop(c)))
		return read_vector(c, e, b);
	if (b == 0x0f)
		return read_escaped(c, e);
	e->opcode = b;
	return one_byte[b];
}

static void read_modrm(struct cursor *c, struct encoding *e, char form)
{
	bool is_absolute;

	if (!strchr("mMZqgGc", form))
		return;
	e->has_modrm = true;
	e->is_control = form == 'c';
	e->modrm = next(c);
	if (!encoding_has_mem(e))
		return;
	is_absolute = encoding_is_rip_relative(e);
	if (encoding_has_sib(e)) {
		e->sib = next(c);
		is_absolute = encoding_mod(e) == 0 && (e->sib & 7) == 5;
	}
	if (encoding_mod(e) == 2 || is_absolute)
		e->disp_size = 4;
	else if (encoding_mod(e) == 1)
		e->disp_size = 1;
	e->disp_offset = (uint8_t)c->at;
	c->at += e->disp_size;
}

static uint8_t immediate_size(const struct encoding *e, char form)
{
	bool is_wide = e->rex & ENCODING_REX_W;
	uint8_t word = e->opsize16 && !is_wide ? 2 : 4;

	switch (form) {
	case 'b':
	case 'M':
		return 1;
	case 'z':
	case 'Z':
		return word;
	case 'w':
		return 2;
	case 'e':
		return 3;
	case 'v':
		return is_wide ? 8 : word;
	case 'o':
		return e->addr32 ? 4 : 8;
	case 'r':
		return 4;
	case 'q':
		return e->opsize16 || e->repeat == 0xf2 ? 2 : 0;
	case 'g':
		return encoding_reg(e) < 2 ? 1 : 0;
	case 'G':
		return encoding_reg(e) < 2 ? word : 0;
	default:
		return 0;
	}
}

int encoding_read(const uint8_t *bytes, size_t n, struct encoding *out)
{
	struct cursor c = {bytes, n < INSN_MAX ? n : INSN_MAX, 0};
	char form;

	memset(out, 0, sizeof(*out));
	form = read_opcode(&c, out);
	if (form == 'x')
		return STATUS_BADFMT;
	read_modrm(&c, out, form);
	out->imm_size = immediate_size(out, form);
	out->imm_offset = (uint8_t)c.at;
	c.at += out->imm_size;
	if (c.at > c.n)
		return STATUS_BADFMT;
	out->len = (uint8_t)c.at;
	return 0;
}
