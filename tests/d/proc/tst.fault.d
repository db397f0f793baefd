/* faults of the program, by kind, with what the kernel says of them */
/* run: -c @faulty@ */
proc:::fault
{
	@[args[0] == FLTIZDIV ? "divide" : args[0] == FLTBOUNDS ? "bounds" : "other",
	    args[1]->si_signo == SIGFPE ? "FPE" : args[1]->si_signo == SIGILL ? "ILL" : "SEGV",
	    args[1]->si_code] = count();
}
proc:::fault /args[0] == FLTBOUNDS/ { @where[args[1]->si_addr] = count(); }
END { printa("%s %s %d %@d\n", @); printa("%x %@d\n", @where); }
