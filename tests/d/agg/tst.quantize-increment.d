/* increments add up; large ones round the bars */
BEGIN
{
	@ = quantize(1, 10); @ = quantize(2, 25); @ = quantize(4, 3); @ = quantize(16, 7); n = 5; @ = quantize(2, n);
	exit(0);
}
