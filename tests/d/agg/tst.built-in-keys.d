/* built-in variables as keys */
BEGIN
{
	@[probeprov, probemod, probefunc, probename] = count(); @k[id, execname] = count();
	exit(0);
}
