/* averages sort by their mean */
BEGIN
{
	@["big sum"] = avg(10); @["big sum"] = avg(11); @["big sum"] = avg(12);
	@["big mean"] = avg(20); @["low"] = avg(-5);
	exit(0);
}
