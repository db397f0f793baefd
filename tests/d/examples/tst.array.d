BEGIN
{
	a["x", 1] = 10;
	a["x", 1]++;
	a["y", 2] = 3;
	a["y", 2] = 0;
	printf("%d %d %d\n", a["x", 1], a["y", 2], a["z", 9]);
	exit(0);
}
