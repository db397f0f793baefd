/* SPDX-License-Identifier: MIT */
/* C++ types: base classes, references, class values, namespaces, static members. */
#include "../truth.h"

struct base {
	int id;
};

struct named {
	const char *name;
};

class shape : public base, public named
{
      public:
	enum class kind : unsigned char { ROUND, SQUARE = 200 };

	static int made;
	kind what;
	int sides;

	shape(int i, const char *n) : base{i}, named{n}, what(kind::SQUARE), sides(4)
	{
	}
	~shape();
	int area(int factor) const;
};

int shape::made = 17;

KEEP shape::~shape()
{
	made--;
}

KEEP int shape::area(int factor) const
{
	return sides * factor;
}

namespace inner
{
struct deep {
	long value;
};
int depth = 3;
} // namespace inner

extern "C" KEEP int use(shape &s, inner::deep *d)
{
	return s.sides + (int)d->value;
}

extern "C" KEEP int by_value(shape s, int after)
{
	return s.sides + after;
}

int main()
{
	shape s(5, "a square");
	inner::deep d = {6};

	return s.area(3) + use(s, &d) + by_value(s, 9) == 0;
}
