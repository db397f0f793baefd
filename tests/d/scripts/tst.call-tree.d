/* SPDX-License-Identifier: MIT */
/* the calls below one, and only below it */
/* run: -F -s @file@ -c @shop@ */
pid$target:a.out:serve:entry
/arg0 == 4/
{
	self->on = 1;
}

pid$target:a.out::entry
/self->on/
{
}

pid$target:a.out::return
/self->on/
{
}

pid$target:a.out:serve:return
/self->on/
{
	self->on = 0;
}
