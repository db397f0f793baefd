/* SPDX-License-Identifier: MIT */
/*
 * Two sources for each instruction: encoding.c finds its fields, capstone confirms that
 * it exists and has that length, unless that is clear (is_plain()). If they disagree, the
 * instruction is undecodable: a wrong length or displacement would corrupt the program.
 * Control transfers are recognized by their opcode only, because capstone 4 misreads some
 * of their prefixes (notrack, bnd, addr32).
 */
#include "disasm/disasm.h"

#include "disasm/encoding.h"
#include "vm/base/bytes.h"
#include "vm/base/status.h"

#include <capstone/capstone.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum insn_kind group5_kind(const struct encoding *e)
{
	switch (encoding_reg(e)) {
	case 2:
		return INSN_CALL_INDIRECT;
	case 3:
	case 5:
		return INSN_FAR;
	case 4:
		return INSN_JMP_INDIRECT;
	default:
		return INSN_OTHER;
	}
}

static enum insn_kind one_byte_kind(const struct encoding *e)
{
	if ((e->opcode & 0xf0) == 0x70)
		return INSN_JCC;
	switch (e->opcode) {
	case 0xc2:
	case 0xc3:
		return INSN_RET;
	case 0xc6: /* xabort */
	case 0xc7: /* xbegin */
		return e->modrm == 0xf8 ? INSN_TRANSACTION : INSN_OTHER;
	case 0xca:
	case 0xcb:
	case 0xcf:
		return INSN_FAR;
	case 0xcc:
	case 0xcd:
	case 0xf1:
		return INSN_INT;
	case 0xe0:
	case 0xe1:
	case 0xe2:
	case 0xe3:
		return INSN_LOOP;
	case 0xe8:
		return INSN_CALL;
	case 0xe9:
	case 0xeb:
		return INSN_JMP;
	case 0xf4:
		return INSN_HLT;
	case 0xff:
		return group5_kind(e);
	default:
		return INSN_OTHER;
	}
}

/* The register forms of 0F 01 are unrelated instructions. */
static enum insn_kind group7_kind(const struct encoding *e)
{
	switch (e->modrm) {
	case 0xd5: /* xend */
		return INSN_TRANSACTION;
	case 0xd7: /* enclu: enters and leaves enclaves */
		return INSN_FAR;
	case 0xec: /* uiret */
		return e->repeat == 0xf3 ? INSN_FAR : INSN_OTHER;
	default:
		return INSN_OTHER;
	}
}

static enum insn_kind map_0f_kind(const struct encoding *e)
{
	if ((e->opcode & 0xf0) == 0x80)
		return INSN_JCC;
	switch (e->opcode) {
	case 0x01:
		return group7_kind(e);
	case 0x05:
	case 0x34:
		return INSN_SYSCALL;
	case 0x07: /* sysret */
	case 0x35: /* sysexit */
	case 0xaa: /* rsm */
		return INSN_FAR;
	case 0x0b:
	case 0xb9:
	case 0xff:
		return INSN_HLT;
	default:
		return INSN_OTHER;
	}
}

static enum insn_kind kind_of(const struct encoding *e)
{
	if (e->map == ENCODING_ONE_BYTE)
		return one_byte_kind(e);
	return e->map == ENCODING_0F ? map_0f_kind(e) : INSN_OTHER;
}

static bool is_near_branch(enum insn_kind kind)
{
	return kind >= INSN_JMP && kind <= INSN_RET;
}

/*
 * A near branch may have any prefix but lock, which makes it invalid, and 66 without
 * REX.W: Intel processors ignore it, AMD processors truncate rip to 16 bits (AMD64 APM
 * vol. 3, 1.2.3).
 */
static bool is_sound_branch(const struct encoding *e)
{
	return !e->lock && !(e->opsize16 && !(e->rex & ENCODING_REX_W));
}

/*
 * Whether to trust the encoding alone: capstone 4 rejects valid instructions of these
 * maps, whose length does not depend on what ModRM selects.
 */
static bool is_regular(const struct encoding *e)
{
	switch (e->map) {
	case ENCODING_0F38:
	case ENCODING_0F3A:
	case ENCODING_VECTOR:
		return true;
	case ENCODING_0F:
		/* 01 ae c7: system and state groups; 0d 18-1f: hints, some now CET */
		return e->opcode == 0x01 || e->opcode == 0x0d || e->opcode == 0xae ||
		       e->opcode == 0xc7 || (e->opcode & 0xf8) == 0x18;
	default:
		return false;
	}
}

static bool is_plain_one_byte(const struct encoding *e)
{
	uint8_t op = e->opcode, reg = encoding_reg(e);

	if (op < 0x40)
		return (op & 7) < 6;
	if ((op & 0xf0) == 0x50 || (op & 0xf0) == 0xb0 || (op >= 0x83 && op <= 0x8b))
		return true;
	switch (op) {
	case 0x63:
	case 0x69:
	case 0x6b:
	case 0x80:
	case 0x81:
	case 0x90:
	case 0x98:
	case 0x99:
	case 0xa8:
	case 0xa9:
	case 0xc9:
		return true;
	case 0x68:
	case 0x6a:
		return !e->opsize16;
	case 0x8d:
		return encoding_has_mem(e);
	case 0xc0:
	case 0xc1:
	case 0xd0:
	case 0xd1:
	case 0xd3:
		return reg != 6;
	case 0xc6:
	case 0xc7:
		return reg == 0;
	case 0xf6:
	case 0xf7:
		return reg != 1;
	case 0xfe:
		return reg < 2;
	case 0xff:
		return reg < 2 || reg == 6;
	default:
		return false;
	}
}

static bool is_plain_0f(const struct encoding *e)
{
	uint8_t op = e->opcode;

	if ((op & 0xf0) == 0x40 || (op & 0xf0) == 0x90)
		return true;
	switch (op) {
	case 0x10:
	case 0x11:
	case 0x28:
	case 0x29:
	case 0x57:
	case 0xaf:
	case 0xb6:
	case 0xb7:
	case 0xbe:
	case 0xbf:
	case 0xef:
		return true;
	case 0x1f:
		return encoding_reg(e) == 0;
	default:
		return false;
	}
}

/*
 * The instructions that compilers write most. Every processor has them, and capstone
 * agrees: a unit test asks it for each. To ask takes twenty times as long.
 */
static bool is_plain(const struct encoding *e)
{
	if (e->lock || e->repeat || e->segment || e->addr32)
		return false;
	if (e->map == ENCODING_ONE_BYTE)
		return is_plain_one_byte(e);
	return e->map == ENCODING_0F && is_plain_0f(e);
}

/* One handle and one buffer for the life of a thread. */
struct capstone {
	csh handle;
	cs_insn *room;
};

static pthread_once_t capstone_once = PTHREAD_ONCE_INIT;
static pthread_key_t capstone_key;

static void close_capstone(void *arg)
{
	struct capstone *c = arg;

	if (c->room)
		cs_free(c->room, 1);
	if (c->handle)
		cs_close(&c->handle);
	free(c);
}

static void make_capstone_key(void)
{
	if (pthread_key_create(&capstone_key, close_capstone) != 0)
		abort();
}

/* That of this thread; NULL: there is no memory. */
static const struct capstone *open_capstone(void)
{
	struct capstone *c;

	pthread_once(&capstone_once, make_capstone_key);
	c = pthread_getspecific(capstone_key);
	if (c)
		return c;
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &c->handle) == CS_ERR_OK)
		c->room = cs_malloc(c->handle);
	if (c->room && pthread_setspecific(capstone_key, c) == 0)
		return c;
	close_capstone(c);
	return NULL;
}

/* 0 if capstone agrees that these bytes are one instruction of this length. */
static int confirm(const uint8_t *bytes, const struct encoding *e)
{
	const uint8_t *code = bytes;
	size_t size = e->len;
	uint64_t address = 0;
	const struct capstone *c = open_capstone();

	if (!c)
		return STATUS_NOMEM;
	if (!cs_disasm_iter(c->handle, &code, &size, &address, c->room))
		return is_regular(e) ? 0 : STATUS_BADFMT;
	return size == 0 ? 0 : STATUS_BADFMT;
}

static int64_t signed_field(const uint8_t *bytes, uint8_t size)
{
	uint64_t v = bytes_load(bytes, size);

	switch (size) {
	case 1:
		return (int8_t)v;
	case 2:
		return (int16_t)v;
	default:
		return (int32_t)v;
	}
}

static void fill_mem(const struct encoding *e, struct insn *out)
{
	struct insn_mem *m = &out->mem;
	uint8_t rex_b = e->rex & ENCODING_REX_B ? 8 : 0;
	uint8_t rex_x = e->rex & ENCODING_REX_X ? 8 : 0;

	out->has_mem = true;
	m->segment = e->segment;
	m->index = INSN_NO_REG;
	m->scale = 1;
	m->base = (uint8_t)(encoding_rm(e) | rex_b);
	if (encoding_is_rip_relative(e))
		m->base = INSN_REG_RIP;
	if (encoding_has_sib(e)) {
		uint8_t index = (uint8_t)((e->sib >> 3 & 7) | rex_x);
		bool has_base = (e->sib & 7) != 5 || encoding_mod(e) != 0;

		m->base = has_base ? (uint8_t)((e->sib & 7) | rex_b) : INSN_NO_REG;
		m->index = index != 4 ? index : INSN_NO_REG;
		m->scale = (uint8_t)(1 << (e->sib >> 6));
	}
	if (e->disp_size > 0)
		m->disp = signed_field(out->bytes + e->disp_offset, e->disp_size);
}

static bool is_nop(const struct encoding *e)
{
	if (e->lock)
		return false;
	if (e->map == ENCODING_ONE_BYTE)
		return e->opcode == 0x90 && !e->repeat && !(e->rex & ENCODING_REX_B);
	return e->map == ENCODING_0F && e->opcode == 0x1f && encoding_reg(e) == 0;
}

static bool is_endbr64(const struct encoding *e)
{
	return e->map == ENCODING_0F && e->opcode == 0x1e && e->modrm == 0xfa &&
	       e->repeat == 0xf3;
}

/* Whether it has a relative target; that of xbegin is where it continues on abort. */
static bool has_target(const struct insn *in)
{
	switch (in->kind) {
	case INSN_JMP:
	case INSN_JCC:
	case INSN_LOOP:
	case INSN_CALL:
		return true;
	default:
		return in->kind == INSN_TRANSACTION && in->opcode == 0xc7;
	}
}

static void fill_transfer(const struct encoding *e, struct insn *out)
{
	const uint8_t *imm = out->bytes + e->imm_offset;

	if (has_target(out))
		out->target =
			taddr_add(out->addr, out->len + signed_field(imm, e->imm_size));
	if (out->kind == INSN_JCC)
		out->cc = e->opcode & 15;
	if (out->kind == INSN_LOOP)
		out->cc = e->opcode & 3;
	if (out->kind == INSN_RET && e->opcode == 0xc2)
		out->ret_pop = (uint16_t)bytes_load(imm, 2);
	if ((out->kind == INSN_JMP_INDIRECT || out->kind == INSN_CALL_INDIRECT) &&
	    encoding_mod(e) == 3)
		out->reg = (uint8_t)(encoding_rm(e) | (e->rex & ENCODING_REX_B) << 3);
}

static void fill(const uint8_t *bytes, const struct encoding *e, struct insn *out)
{
	bytes_copy(out->bytes, bytes, e->len);
	out->len = e->len;
	out->opcode = e->opcode;
	out->addr32 = e->addr32;
	out->reg = INSN_NO_REG;
	out->rip_relative = encoding_is_rip_relative(e);
	if (out->rip_relative)
		out->disp_offset = e->disp_offset;
	if (encoding_has_mem(e) && e->map <= ENCODING_0F3A)
		fill_mem(e, out);
	out->is_nop = is_nop(e);
	out->is_endbr = is_endbr64(e);
	out->is_far_call = out->kind == INSN_FAR && e->map == ENCODING_ONE_BYTE &&
			   e->opcode == 0xff && encoding_reg(e) == 3;
	fill_transfer(e, out);
}

static int read_insn(const uint8_t *bytes, size_t n, taddr addr, struct encoding *e,
		     struct insn *out)
{
	int err;

	memset(out, 0, sizeof(*out));
	err = encoding_read(bytes, n, e);
	if (err)
		return err;
	out->addr = addr;
	out->kind = kind_of(e);
	if (is_near_branch(out->kind) && !is_sound_branch(e))
		return STATUS_BADFMT;
	return 0;
}

int decode(const uint8_t *bytes, size_t n, taddr addr, struct insn *out)
{
	struct encoding e;
	int err = read_insn(bytes, n, addr, &e, out);

	if (!err && !is_near_branch(out->kind) && out->kind != INSN_HLT &&
	    !is_plain(&e))
		err = confirm(bytes, &e);
	if (err)
		return err;
	fill(bytes, &e, out);
	return 0;
}

int decode_quick(const uint8_t *bytes, size_t n, taddr addr, struct insn *out)
{
	struct encoding e;
	int err = read_insn(bytes, n, addr, &e, out);

	if (err)
		return err;
	fill(bytes, &e, out);
	return 0;
}

size_t insn_text(const uint8_t *bytes, size_t n, taddr addr, char text[INSN_TEXT_MAX])
{
	const uint8_t *code = bytes;
	size_t left = n;
	const struct capstone *c = open_capstone();
	uint64_t address = addr.v;
	bool is_found;

	text[0] = '\0';
	if (!c)
		return 0;
	cs_option(c->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	is_found = cs_disasm_iter(c->handle, &code, &left, &address, c->room);
	cs_option(c->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_INTEL);
	if (!is_found)
		return 0;
	snprintf(text, INSN_TEXT_MAX, *c->room->op_str ? "%-7s %s" : "%s",
		 c->room->mnemonic, c->room->op_str);
	return n - left;
}

bool insn_falls_through(const struct insn *in)
{
	const struct insn_brief brief = {.kind = (uint8_t)in->kind,
					 .is_far_call = in->is_far_call};

	return insn_brief_falls_through(&brief);
}
