// SPDX-License-Identifier: MIT
//
// Strings, vectors, optionals and smart pointers of libstdc++, as arguments. With an
// argument, the first value has a pointer or a length that leads nowhere.
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct point {
	int x, y;
};

struct order {
	int number;
	std::string name;
	std::vector<std::string> items;
	std::optional<std::string> note;
	std::unique_ptr<point> place;
};

std::string global_name = "a name in the data of the program";
int counter;
static int hidden_counter = 3;
static std::vector<int> hidden_numbers{1, 2, 3};

#define SINK(p) __asm__ volatile("" : : "r"(p) : "memory")

extern "C" {
__attribute__((noinline)) void text(const std::string &s, std::string_view v)
{
	SINK(&s);
	SINK(v.data());
}

__attribute__((noinline)) void moved(std::string s)
{
	SINK(&s);
}

__attribute__((noinline)) void numbers(const std::vector<int> &v,
				       const std::vector<point> &p,
				       const std::vector<bool> &b)
{
	SINK(&v);
	SINK(&p);
	SINK(&b);
}

__attribute__((noinline)) void nested(const std::vector<std::vector<std::string>> &v)
{
	SINK(&v);
}

__attribute__((noinline)) void maybe(const std::optional<int> &a,
				     const std::optional<int> &b,
				     const std::optional<std::string> &c)
{
	SINK(&a);
	SINK(&b);
	SINK(&c);
}

__attribute__((noinline)) void owners(const std::unique_ptr<int> &u,
				      const std::shared_ptr<point> &s,
				      const std::unique_ptr<int> &none)
{
	SINK(&u);
	SINK(&s);
	SINK(&none);
}

__attribute__((noinline)) void whole(const order *o)
{
	SINK(o);
}

__attribute__((noinline)) void data(int *a, int *b, const void *c)
{
	SINK(a);
	SINK(b);
	SINK(c);
}
}

static void lie(std::string &s, std::vector<std::string> &v)
{
	static size_t words[4];

	words[0] = 0xdead000;
	words[1] = SIZE_MAX;
	memcpy((void *)&s, words, 16); // its characters and its length
	words[0] = (size_t)words;
	words[1] = (size_t)words - 32; // it ends before it begins
	memcpy((void *)&v, words, 16);
}

static void show(order *o, std::vector<int> *many)
{
	std::vector<std::vector<std::string>> lists{{"one", "two"}, {}, {"three"}};
	std::vector<point> points{{1, 2}, {3, 4}};
	std::vector<bool> bits{true, false};

	text(o->name, std::string_view("a view of this|not of this").substr(0, 14));
	text(std::string(), std::string_view());
	text("quoted \" \\ \t " + std::string(300, 'x'), "x");
	moved("by value, and longer than a short string is");
	numbers(*many, points, bits);
	nested(lists);
	maybe(7, std::nullopt, "something");
	owners(std::make_unique<int>(42), std::make_shared<point>(point{5, 6}),
	       nullptr);
	whole(o);
}

int main(int argc, char **argv)
{
	// Never freed: with an argument they are nothing that could be.
	order *o = new order{12,
			     "short",
			     {"apple", "a pear that is not short at all"},
			     "for Ann",
			     std::make_unique<point>(point{8, 9})};
	std::vector<int> *many = new std::vector<int>;

	(void)argv;
	for (int i = 0; i < 100; i++)
		many->push_back(i);
	if (argc > 1) {
		lie(o->name, o->items);
		text(o->name, "x");
		whole(o);
		return 0;
	}
	show(o, many);
	data(&counter, &hidden_counter, &hidden_numbers);
	data(&counter, &hidden_counter, (char *)&global_name + 8);
	return 0;
}
