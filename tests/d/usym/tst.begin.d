/* the tracer is no target */
BEGIN
{
	usym(0x1000);
	umod(0x1000);
	exit(0);
}
