/* SPDX-License-Identifier: MIT */
/* How often is each function called?
 *	dtrace -s samples/calls.d -c build/samples/kitchen */
fpid$target:a.out::entry
{
	@[probefunc] = count();
}
