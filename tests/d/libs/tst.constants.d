/* the integers of the standard library */
BEGIN {
	printf("%d %d %d\n", DTRACEFLT_BADADDR, DTRACEFLT_DIVZERO, DTRACEFLT_LIBRARY);
	printf("%d %d %d %d\n", SIGINT, SIGSEGV, SIGCHLD, SIGRTMIN);
	printf("%d %d %d\n", ENOENT, EINTR, EWOULDBLOCK == EAGAIN);
	printf("%d %d %d %d %d\n", R_R15, R_RDI, R_RAX, R_RIP, R_GS);
	printf("%d %d %d\n", R_PC == R_RIP, R_SP == R_RSP, R_EAX == R_RAX);
	printf("%d %d %d %d\n", SSLEEP, SRUN, CLD_EXITED, P_PID);
	exit(0);
}
