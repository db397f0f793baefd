/* in the order that things happen to the child */
/* run: -x follow -c "@family@ vfork" */
proc:::create, proc:::start, proc:::exec-success, proc:::exit
/pid != $target/
{
	printf("%s\n", probename);
}
