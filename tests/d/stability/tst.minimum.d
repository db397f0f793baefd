/* what is as stable as asked for may be used */
/* run: -x amin=Stable/Stable/Common */
BEGIN { printf("%d\n", pid == $pid); exit(0); }
