/* SPDX-License-Identifier: MIT */
/* the two that are called most */
/* run: -c @shop@ */
pid$target:a.out:pool_alloc:entry, pid$target:a.out:pool_free:entry,
pid$target:a.out:find:entry, pid$target:a.out:name_equal:entry,
pid$target:a.out:discount:entry
{
	@[probefunc] = count();
}

END
{
	trunc(@, 2);
}
