/* with a later evaltime it has been before tracing began */
/* run: -c @once@ */
proc:::exec-success { printf("%d\n", pid == $target); }
proc:::exit { printf("ended\n"); }
