/* SPDX-License-Identifier: MIT */
/* dtrace -qs shop.d -s orders.d -c ./shop */

shop$target:::open
{
	printf("%s opens\n", args[0]);
}

shop$target:::order-placed
/args[0] <= LEVEL_INFORMATION && args[1] & KEYWORD_KITCHEN/
{
	printf("order %d: %s\n", args[2], args[3]);
}

shop$target:::order-failed
/args[0] <= LEVEL_ERROR/
{
	printf("order %d: %s\n", args[2], args[3]);
}

shop$target:::item-sold
{
	printf("order %d: number %d for %d, %.2f kg\n", args[1], args[0]->number,
	    args[0]->cents, args[2]);
	@sum = sum(args[0]->cents);
}
