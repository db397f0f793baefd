/* quiet: no padding, each value with the sign of its type */
BEGIN
{
	trace((char)-2); trace(" "); trace((short)-2); trace(" "); trace(-2); trace(" "); trace(-2L); trace(" "); trace((unsigned)-1); trace(" "); trace(4294967295);
	exit(0);
}
