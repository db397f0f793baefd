/* run: -x demangle -c @crates_v0@ */
pid$target:a.out:crates::shop::*:entry,
pid$target:a.out:*as\ crates*pay:entry
{
	@[probefunc] = count();
}
