/* the library's own means are no matter of amin */
/* run: -x amin=Stable/Stable/Common */
BEGIN { printf("%d\n", curpsinfo->pr_pid == pid); exit(0); }
