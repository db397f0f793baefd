/* SPDX-License-Identifier: MIT */
/* counts calls only between two others */
/* run: -c @shop@ */
pid$target:a.out:buy:entry
/copyinstr(arg0) == "pot"/
{
	self->inside = 1;
}

pid$target:a.out:name_equal:entry
/self->inside/
{
	@["comparisons for a pot"] = count();
}

pid$target:a.out:buy:return
/self->inside/
{
	self->inside = 0;
	@["pots asked for"] = count();
}
