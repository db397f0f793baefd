/* without a format: a newline, then the rows */
BEGIN
{
	@a["x"] = sum(1); @a["y"] = sum(2); @b = count();
	printa(@a); printa(@b); printf("end\n");
	exit(0);
}
