/* squares whose sum needs more than 64 bits */
BEGIN
{
	@ = stddev(5000000000); @ = stddev(5000000100); @ = stddev(5000000200);
	@ = stddev(5000000300); @ = stddev(5000000400); @ = stddev(5000000500);
	@ = stddev(5000000600); @ = stddev(5000000700); @ = stddev(5000000800);
	@ = stddev(5000000900);
	exit(0);
}
