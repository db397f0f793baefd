// SPDX-License-Identifier: MIT
#include "shop.h"
#include "till.h"

#include <vector>

struct item {
	int number, cents;
};

static std::vector<item> sold;

void sell(int order, int cents)
{
	item one = {100 + order, cents};

	sold.push_back(one);
	SHOP_ITEM_SOLD(&one, order, cents / 1000.0);
}

int total(void)
{
	int sum = 0;

	for (const item &each : sold)
		sum += each.cents;
	return sum;
}
