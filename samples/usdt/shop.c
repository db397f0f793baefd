/* SPDX-License-Identifier: MIT */
/* A shop with probes of its own; its till is in C++ (till.cc). */
#include <stdio.h>
#include <unistd.h>

#include "shop.h"
#include "till.h"

enum { ERROR = 2, INFORMATION = 4, VERBOSE = 5 };
enum { KITCHEN = 1, TILL = 2 };

static const char *const guests[] = {"Ada", "Brian", "Chris", "Dennis"};

/* Takes long, and is done only for a tracer. */
static const char *describe(int order)
{
	static char text[40];

	snprintf(text, sizeof(text), "%s, table %d", guests[order % 4], order + 10);
	return text;
}

static void serve(int order)
{
	if (SHOP_ORDER_PLACED_ENABLED())
		SHOP_ORDER_PLACED(order == 2 ? VERBOSE : INFORMATION, KITCHEN, order,
				  describe(order));
	if (order == 3)
		SHOP_ORDER_FAILED(ERROR, KITCHEN | TILL, order, "sold out");
	else
		sell(order, 250 * (order + 1));
}

int main(void)
{
	SHOP_OPEN("Grace");
	for (int order = 0; order < 5; order++)
		serve(order);
	printf("%d cents\n", total());
	return 0;
}
