/* SPDX-License-Identifier: MIT */
/* how deep a recursion goes */
/* run: -c @shop@ */
pid$target:a.out:discount:entry
{
	self->depth++;
	@deepest = max(self->depth);
	@depths = lquantize(self->depth, 0, 5, 1);
}

pid$target:a.out:discount:return
{
	self->depth--;
}

END
{
	printa("deepest: %@d", @deepest);
}
