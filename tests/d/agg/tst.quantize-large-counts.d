/* counts wider than their column */
BEGIN
{
	@ = quantize(1, 12345678901); @ = quantize(2, 1);
	exit(0);
}
