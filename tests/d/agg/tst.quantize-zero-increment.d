/* all buckets empty: -1, 0 and 1 are shown */
BEGIN
{
	@ = quantize(100, 0); @ = quantize(7, 3); @ = quantize(7, -3);
	exit(0);
}
