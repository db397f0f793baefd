/* SPDX-License-Identifier: MIT */
/* prints what led to an error, and nothing else */
/* run: -c @shop@ -x nspec=4 -x cleanrate=5000hz */
pid$target:a.out:serve:entry
{
	self->spec = speculation();
}

pid$target:a.out:serve:entry
/self->spec/
{
	speculate(self->spec);
	printf("customer %d wants %d of %s\n", arg0, arg2, copyinstr(arg1));
}

pid$target:a.out:find:return
/self->spec/
{
	speculate(self->spec);
	printf("  %s\n", arg1 ? "found" : "not found");
}

pid$target:a.out:buy:return
/self->spec && arg1 == -1/
{
	commit(self->spec);
	self->spec = 0;
}

pid$target:a.out:buy:return
/self->spec/
{
	discard(self->spec);
	self->spec = 0;
}
