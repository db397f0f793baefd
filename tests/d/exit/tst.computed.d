BEGIN
{
	x = 20; exit(x / 4);
	exit(0);
}
