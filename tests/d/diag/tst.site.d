/* each site that is set or refused, how, why, and for which probe */
/* run: -c @once@ */
fpid$target:a.out:f:entry, fpid$target:a.out:f:return, p[i]d$target:a.out:main:entry,
fpid$target:a.out:-:8
{
	@events[id] = count();
}
diag:::site
{
	printf("%s%s%s %d %d", args[1], args[2] == "" ? "" : ": ", args[2],
	    args[4] == $target, args[0] == 8);
	usym(args[0]);
	printf("\n");
	@sites[args[3]] = count();
}
END { printa("%@d %@d\n", @sites, @events); }
