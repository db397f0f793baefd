/* run: -x demangle -c @crates@ */
pid$target:a.out:crates::shop::*:entry,
pid$target:a.out:*as\ crates*pay:entry
{
	@[probefunc] = count();
}
