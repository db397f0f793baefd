/* SPDX-License-Identifier: MIT */
/* C++ names: overloads, templates, operators, constructors, lambdas, clones. */
#include "../truth.h"

namespace store
{
struct item {
	int price;

	item(int p);
	~item();
	int operator+(int more) const;
};

KEEP item::item(int p) : price(p)
{
	__asm__ volatile("" : : "r"(this) : "memory");
}

KEEP item::~item()
{
	__asm__ volatile("" : : "r"(this) : "memory");
}

KEEP int item::operator+(int more) const
{
	return price + more;
}

KEEP int find(int n)
{
	return n + 1;
}

KEEP int find(char c)
{
	return c + 2;
}

template <class T> KEEP T twice(T t)
{
	return t + t;
}
} // namespace store

namespace
{
KEEP int hidden(int n)
{
	return n * 7;
}
} // namespace

KEEP int total(int n)
{
	auto add = [n](int more) __attribute__((noinline))
	{
		return n + more;
	};

	return add(3) + hidden(n) - 1;
}

int main()
{
	store::item a(4);
	int sum = 0;

	for (int i = 0; i < 3; i++)
		sum += store::find(i);
	sum += store::find('c') + store::find('d');
	sum += store::twice(4) + (int)store::twice(2.5) + (a + 3) + total(3);
	return sum < 0;
}
