/* SPDX-License-Identifier: MIT */
/* comparisons that each search needs */
/* run: -c @shop@ */
pid$target:a.out:find:entry { self->n = 0; self->in = 1; }
pid$target:a.out:name_equal:entry /self->in/ { self->n++; }
pid$target:a.out:find:return
{
	@["comparisons"] = lquantize(self->n, 1, 4);
	self->in = 0;
}
