/* only the branch taken has effects */
BEGIN
{
	x = 0; y = 0;
	if (x++ == 0) { y += 10; z = 1; } else { y += 100; z = 2; }
	if (x == 1 && y == 10) { @["then"] = count(); } else { @["else"] = count(); }
	printf("%d %d %d\n", x, y, z);
	exit(0);
}
