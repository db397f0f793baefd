/* SPDX-License-Identifier: MIT */
#include "tracer/events/condition.h"

#define SIGN (UINT64_C(1) << 63)

bool condition_test(const struct event_field *field, const struct kernel_condition *c,
		    struct filter_test *out)
{
	*out = (struct filter_test){.field = field->name,
				    .op = FILTER_BITS,
				    .is_signed = field->is_signed,
				    .is_not = c->test == KERNEL_NO_BIT,
				    .value = c->value};
	if (field->is_array || c->test == KERNEL_ONE_OF)
		return false;
	if (c->test == KERNEL_IS)
		out->op = FILTER_EQ;
	else if (c->value == SIGN && field->is_signed) {
		out->op = FILTER_LT;
		out->value = 0;
	} else if (c->value == UINT64_MAX) {
		out->op = FILTER_EQ;
		out->value = 0;
		out->is_not = !out->is_not;
	}
	return true;
}

bool condition_is_met(const struct kernel_condition *c, uint64_t value)
{
	switch (c->test) {
	case KERNEL_IS:
		return value == c->value;
	case KERNEL_ANY_BIT:
		return (value & c->value) != 0;
	case KERNEL_NO_BIT:
		return (value & c->value) == 0;
	case KERNEL_ONE_OF:
		return value < 64 && (c->value >> value & 1);
	}
	return false;
}
