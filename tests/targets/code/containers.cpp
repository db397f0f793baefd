// SPDX-License-Identifier: MIT
//
// Containers of libstdc++ and what else print() shows by its content. With an argument,
// what links their nodes leads nowhere, or their lengths are impossible.
#include <array>
#include <bitset>
#include <chrono>
#include <cstring>
#include <deque>
#include <filesystem>
#include <forward_list>
#include <list>
#include <map>
#include <queue>
#include <set>
#include <stack>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#define SINK(p) __asm__ volatile("" : : "r"(p) : "memory")

struct point {
	int x, y;
};

struct trees {
	std::map<int, std::string> names;
	std::multimap<std::string, point> points;
	std::set<long> numbers;
	std::multiset<char> none;
};

struct lists {
	std::list<std::string> texts;
	std::forward_list<short> shorts, none;
	std::unordered_map<std::string, int> hash;
	std::unordered_set<unsigned> set;
	std::deque<int> deque;
	std::deque<point> points;
	// the place of a value in its node is not certain here
	std::unordered_map<int, __int128> wide;
};

using choice = std::variant<std::monostate, int, std::string, point>;

struct parts {
	std::pair<int, std::string> pair;
	std::tuple<char, std::string, double> tuple;
	choice number, text, place;
	std::bitset<12> bits;
	std::array<short, 3> array;
	std::stack<int> stack;
	std::queue<int> queue;
	std::priority_queue<int> heap;
	std::filesystem::path path;
};

struct times {
	std::chrono::nanoseconds ns;
	std::chrono::milliseconds ms;
	std::chrono::hours hours;
	std::chrono::duration<double> seconds;
	std::chrono::duration<int, std::ratio<1, 3>> thirds;
	std::chrono::steady_clock::time_point point;
};

struct naturals {
	signed char small;
	unsigned char byte;
	char letter, mark, text[8], raw[2];
	short negative;
	unsigned long large;
	bool is_true;
	wchar_t wide;
	__int128 below;
	unsigned __int128 most;
	float f;
	double d;
	enum color { RED = -1, GREEN = 7 } tone, unknown;
	int bits : 4;
	unsigned more : 4;
	enum color shade : 8;
	struct {
		int n;
	} many[2];
};

// Types of the user that have the names of others.
namespace own
{
struct path {
	int _M_pathname, length;
};
template <typename T> struct list {
	T first;
};
template <typename T> struct stack {
	T c;
	int more;
};
struct all {
	path p;
	list<int> l;
	stack<int> s;
};
} // namespace own

extern "C" {
__attribute__((noinline)) void take_trees(const trees *t)
{
	SINK(t);
}
__attribute__((noinline)) void take_lists(const lists *l)
{
	SINK(l);
}
__attribute__((noinline)) void take_parts(const parts *p)
{
	SINK(p);
}
__attribute__((noinline)) void take_times(const times *t)
{
	SINK(t);
}
__attribute__((noinline)) void take_naturals(const naturals *n, int negative)
{
	SINK(n);
	SINK(negative);
}
__attribute__((noinline)) void take_own(const own::all *a)
{
	SINK(a);
}
}

// The words that a value consists of.
template <typename T> static void set_word(T &value, size_t n, const void *word)
{
	memcpy(reinterpret_cast<char *>(&value) + 8 * n, &word, sizeof(word));
}

static void *const nowhere = reinterpret_cast<void *>(0x1234);
static void *const seven = reinterpret_cast<void *>(7);
// A node of a tree that is its own left one, and one of a list that is its own next.
static void *tree_loop[8] = {seven, tree_loop, tree_loop, tree_loop, seven};
static void *list_loop[2] = {list_loop, seven};

// Not destroyed: nobody could.
static int damaged()
{
	trees &t = *new trees{{{1, "one"}, {2, "two"}}, {}, {1, 2, 3}, {}};
	lists &l = *new lists{{"one", "two"}, {1}, {}, {{"one", 1}}, {}, {}, {}, {}};
	parts &p = *new parts{};

	set_word(t.names, 3, nowhere); // its first node
	set_word(t.names, 5, reinterpret_cast<void *>(50));
	set_word(t.numbers, 3, tree_loop);
	set_word(l.texts, 0, nowhere);
	set_word(l.shorts, 0, list_loop);
	set_word(l.hash, 3, reinterpret_cast<void *>(-1)); // its length
	set_word(l.deque, 5, nowhere);			   // where its blocks are
	set_word(l.deque, 9, reinterpret_cast<void *>(0x1244));
	reinterpret_cast<unsigned char *>(&p.number)[sizeof(std::string)] = 77;
	reinterpret_cast<unsigned char *>(&p.text)[sizeof(std::string)] = 255;
	take_trees(&t);
	take_lists(&l);
	take_parts(&p);
	return 0;
}

int main(int argc, char **)
{
	trees t{{{-1, "minus"}, {1101, "eleven"}},
		{{"b", {3, 4}}, {"a", {1, 2}}},
		{},
		{}};
	lists l{{"first", "a second one, which is on the heap"},
		{3, -2, 1},
		{},
		{{"kettle", 72}},
		{5},
		{},
		{{1, 2}, {3, 4}},
		{}};
	parts p{{9, "nine"}, {'c', "two", 2.5}, 42, "text", point{6, 7},
		0xa5f,	     {1, -2, 3},	{}, {},	    {},
		"/usr/lib"};
	times when{std::chrono::nanoseconds(-5),
		   std::chrono::milliseconds(1500),
		   std::chrono::hours(3),
		   std::chrono::duration<double>(0.25),
		   {},
		   {}};
	naturals n{-2,
		   200,
		   'z',
		   '\n',
		   "ab\"c",
		   {1, 2},
		   -300,
		   ~0ul,
		   true,
		   L'q',
		   -((__int128)1 << 100),
		   ~(unsigned __int128)0,
		   0.1f,
		   -0.1,
		   naturals::RED,
		   static_cast<naturals::color>(3),
		   -3,
		   9,
		   naturals::GREEN,
		   {{-1}, {2}}};
	own::all own{{1, 2}, {3}, {4, 5}};

	if (argc > 1)
		return damaged();
	for (int i = 40; i-- > 0;)
		t.numbers.insert(i * 10);
	for (int i = 0; i < 300; i++)
		l.deque.push_back(i);
	for (int i = 0; i < 120; i++)
		l.deque.pop_front();
	for (int i = 0; i < 3; i++) {
		p.stack.push(i);
		p.queue.push(i);
		p.heap.push(i);
	}
	take_trees(&t);
	take_lists(&l);
	take_parts(&p);
	take_times(&when);
	take_naturals(&n, -9);
	take_own(&own);
}
