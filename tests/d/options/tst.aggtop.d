/* each printa() prints so many rows, those with the largest values */
#pragma D option quiet
#pragma D option aggtop=2
BEGIN
{
	@a[1] = sum(10); @a[2] = sum(30); @a[3] = sum(20);
	@b[1] = sum(7); @b[2] = sum(8); @b[3] = sum(9);
	printa("%d: %@d %@d\n", @a, @b);
	setopt("aggsortrev");
	printa("%d: %@d %@d\n", @a, @b);
	setopt("aggsortpos", "1"); setopt("aggtop", "1");
	printa(@a, @b);
	setopt("aggtop", "9");
	printa("%d\n", @a, @b);
	setopt("aggtop", "0");
	printa("%d", @b);
	exit(0);
}
