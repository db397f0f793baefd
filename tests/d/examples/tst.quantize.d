BEGIN
{
	@ = quantize(0); @ = quantize(1); @ = quantize(1);
	@ = quantize(3); @ = quantize(8);
	exit(0);
}
