/* arguments are widened by their own type */
int8_t a; uint8_t b; int32_t c; uint32_t d; uint64_t e;
BEGIN
{
	a = -1; b = -1; c = -1; d = -1; e = -1;
	@["a"] = sum(a); @["b"] = sum(b); @["c"] = sum(c); @["d"] = sum(d);
	@m["e"] = max(e); @m["e"] = max(-5);
	@p = max((int *)16);
	printa("%s %@d\n", @); printa("%s %@d\n", @m); printa("%@d\n", @p);
	exit(0);
}
