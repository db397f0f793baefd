BEGIN
/probename/
{
	exit(0);
}
