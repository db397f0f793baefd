/* a function that returns by itself as well is followed when it is named, not by a pattern */
/* run: -c @relay@ */
pid$target:a.out:mid*:return
{
	@[(int)arg1] = count();
}
