/* Every form of an operand, with its width and sign. */
/* run: -qs @file@ -c '@noted@ 1' */
noted$target:::registers
{
	printf("%s %x %d %x %d %x %d", probename, arg0, arg1, arg2, arg3, arg4, arg5);
	printf(" %x %d %x %x\n", arg6, arg7, arg8, arg9);
}
noted$target:::more-registers
{
	printf("%s %d %x %d %d %x", probename, arg0, arg1, arg2, arg3 == arg4, arg5);
	printf(" %d %d %d\n", arg6, arg7, arg8 == (int8_t)arg9);
}
noted$target:::constants
{
	printf("%s %d %d %x %d %d %d", probename, arg0, arg1, arg2, arg3,
	    arg4 == (uint64_t)&`table, arg5 - arg4);
	printf(" %d %d %d %x\n", arg6, arg7, arg8, arg9);
}
noted$target:::memory
{
	printf("%s %x %x %x %x %x %d", probename, arg0, arg1, arg2, arg3, arg4, arg5);
	printf(" %x %x %d %d\n", arg6, arg7, arg8 == arg0, arg9);
}
noted$target:::thread
{
	printf("%s %d %d %d\n", probename, arg0 == uregs[R_FS] || arg0 == arg1,
	    arg1 == arg0, arg3 == uregs[R_SP]);
}
noted$target:::many { printf("%s %d %d %d\n", probename, arg0, args[8], args[9]); }
noted$target:::none { printf("%s %s %s\n", probename, probemod, probefunc); }
noted$target:::twice { printf("%s %d %d\n", probename, arg0, args[0]); }
noted$target:::strange { printf("%s %x\n", probename, args[7]); }
