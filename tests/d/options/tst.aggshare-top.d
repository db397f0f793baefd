/* rows that aggtop hides have their part in the shares of the others */
/* run: -x aggshare -x aggtop=2 */
BEGIN
{
	@a["one"] = sum(1);
	@a["three"] = sum(3);
	@a["six"] = sum(6);
	printa(@a);
	printa("%s %@d %@.1f%%\n", @a);
	exit(0);
}
