/* SPDX-License-Identifier: MIT */
/* Which signals does a process get, and from whom?
 *
 *	dtrace -s signals -c CMD | -p PID
 *
 *	dtrace -s signals -c 'timeout 1 sleep 9'
 *	dtrace -s signals -p $(pgrep redis-server)
 *
 * Prints a line for each signal that the process or a child of it gets: milliseconds since
 * the start, the process, its thread and name, the signal, and the process that sent it (0:
 * the kernel); another line if it is ignored. At the end how often each was sent, by whom,
 * and how often ignored.
 * SIGKILL is not seen: the kernel ends the process without it. The tool exits shows that.
 */
#pragma D option quiet
#pragma D option follow
#pragma D option switchrate=10hz

BEGIN
{
	began = timestamp;
	signame[1] = "SIGHUP";
	signame[2] = "SIGINT";
	signame[3] = "SIGQUIT";
	signame[4] = "SIGILL";
	signame[5] = "SIGTRAP";
	signame[6] = "SIGABRT";
	signame[7] = "SIGBUS";
	signame[8] = "SIGFPE";
	signame[9] = "SIGKILL";
	signame[10] = "SIGUSR1";
	signame[11] = "SIGSEGV";
	signame[12] = "SIGUSR2";
	signame[13] = "SIGPIPE";
	signame[14] = "SIGALRM";
	signame[15] = "SIGTERM";
	signame[17] = "SIGCHLD";
	signame[18] = "SIGCONT";
	signame[19] = "SIGSTOP";
	signame[20] = "SIGTSTP";
	signame[23] = "SIGURG";
	signame[24] = "SIGXCPU";
	signame[27] = "SIGPROF";
	signame[28] = "SIGWINCH";
	printf("%8s %8s %8s %-15s %6s %-8s %8s %s\n", "TIME-MS", "PID", "TID", "COMMAND",
	    "NUMBER", "SIGNAL", "SENDER", "");
}

proc:::signal-send, proc:::signal-discard
{
	this->name = signame[args[2]] != NULL ? signame[args[2]] : "-";
	printf("%8d %8d %8d %#-15s %6d %#-8s %8d %#s\n", (timestamp - began) / 1000000,
	    args[1]->pr_pid, tid, execname, args[2], this->name, arg3,
	    probename == "signal-discard" ? "ignored" : "");
	@sent[args[1]->pr_pid, this->name, arg3] = sum(probename == "signal-send");
	@ignored[args[1]->pr_pid, this->name, arg3] = sum(probename == "signal-discard");
}

END
{
	printf("\n%8s %-8s %8s %8s %8s\n", "PID", "SIGNAL", "SENDER", "COUNT",
	    "IGNORED");
	printa("%8d %#-8s %8d %@8d %@8d\n", @sent, @ignored);
}
