/* SPDX-License-Identifier: MIT */
/* memory that is taken and not given back, with who took it */
/* run: -c @shop@ */
pid$target:a.out:serve:entry { self->customer = arg0; }
pid$target:a.out:serve:return { self->customer = 0; }

pid$target:a.out:pool_alloc:entry
/self->customer/
{
	self->size = arg0;
}

pid$target:a.out:pool_alloc:return
/self->size/
{
	sizes[arg1] = self->size;
	@balance["taken"] = sum(self->size);
	@open = sum(1);
	self->size = 0;
}

pid$target:a.out:pool_free:entry
/sizes[arg0]/
{
	@balance["given back"] = sum(sizes[arg0]);
	@open = sum(-1);
	sizes[arg0] = 0;
}

END
{
	printa("%-12s %@8d\n", @balance);
	printa("pieces lost: %@d\n", @open);
}
