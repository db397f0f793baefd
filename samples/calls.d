/* SPDX-License-Identifier: MIT */
/* How often is each function called?
 *	dtrace -s samples/calls.d -c build/samples/kitchen */
pid$target:a.out::entry
{
	@[probefunc] = count();
}
