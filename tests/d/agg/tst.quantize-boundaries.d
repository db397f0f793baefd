/* powers of two begin buckets */
BEGIN
{
	@ = quantize(1);
	@ = quantize(2);
	@ = quantize(3);
	@ = quantize(4);
	@ = quantize(7);
	@ = quantize(8);
	@ = quantize(1023);
	@ = quantize(1024);
	@ = quantize(1025);
	exit(0);
}
