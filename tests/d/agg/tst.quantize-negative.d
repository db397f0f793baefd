/* negative values by magnitude */
BEGIN
{
	@ = quantize(-1);
	@ = quantize(-2);
	@ = quantize(-3);
	@ = quantize(-4);
	@ = quantize(-1000);
	@ = quantize(0);
	@ = quantize(0);
	@ = quantize(5);
	exit(0);
}
