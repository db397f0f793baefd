/* run: -s @file@ */
BEGIN
{
	trace((char)65);
	trace((short)-2);
	trace(-2);
	trace((long long)-2);
	exit(0);
}
