/* SPDX-License-Identifier: MIT */
/*
 * timestamp in light routines: tsc_clock_at() (vm/base/tsc_clock.h) as machine code.
 * Where the clock of the system has to be read, the routine ends unfinished.
 */
#include "vm/native/translation.h"

#define CLOCK_AT(field) (LIGHT_AT(clock) + (int32_t)offsetof(struct tsc_clock, field))
#define KNOWN_ALREADY	1 /* bit of native_call.asked */

static void read_clock(struct translation *t)
{
	struct missed_jumps late = {.n = 1};
	struct x86_code *c = t->code;

	x86_counter(c);
	x86_alu_from(c, X86_SUB, X86_RAX, call_at(t, CLOCK_AT(ticks)));
	x86_alu_from(c, X86_CMP, X86_RAX, call_at(t, CLOCK_AT(window)));
	late.jump[0] = x86_jump_if(c, X86_NOT_BELOW);
	light_exit_by(t, &late);
	x86_load(c, X86_RCX, call_at(t, CLOCK_AT(rate)));
	x86_multiply(c, X86_RAX, X86_RCX);
	x86_shift_right(c, X86_RAX, 32);
	x86_alu_from(c, X86_ADD, X86_RAX, call_at(t, CLOCK_AT(time)));
	x86_load(c, X86_RCX, call_at(t, CLOCK_AT(last)));
	x86_alu(c, X86_CMP, X86_RAX, X86_RCX);
	x86_move_if(c, X86_BELOW, X86_RAX, X86_RCX);
	x86_store(c, call_at(t, CLOCK_AT(last)), X86_RAX);
}

void light_load_time(struct translation *t)
{
	struct x86_code *c = t->code;
	uint32_t known, end;

	_Static_assert(KNOWN_ALREADY == 1, "native_once() of timestamp is bit 0");
	if (!t->light.asks_again) {
		read_clock(t);
		return;
	}
	x86_load32(c, X86_RAX, call_at(t, CALL_AT(asked)));
	x86_compare32(c, X86_RAX, KNOWN_ALREADY);
	known = x86_jump_if(c, X86_EQUAL);
	read_clock(t);
	x86_store(c, call_at(t, CALL_AT(once)), X86_RAX);
	x86_store32_constant(c, call_at(t, CALL_AT(asked)), KNOWN_ALREADY);
	end = x86_jump(c);
	x86_land(c, known);
	x86_load(c, X86_RAX, call_at(t, CALL_AT(once)));
	x86_land(c, end);
}
