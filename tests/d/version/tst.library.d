/* what a definition is made of is of its own version */
/* run: -x version=1.0 */
/* not under valgrind: there dtrace has the tool's name */
BEGIN { printf("%d %s\n", curpsinfo->pr_pid == pid, curlwpsinfo->pr_name); exit(0); }
