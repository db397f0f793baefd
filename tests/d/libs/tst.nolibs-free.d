/* without the library its names are free, and -L is not looked at */
/* run: -x nolibs -L @dir@/none */
BEGIN { SIGINT = 100; printf("%d\n", SIGINT); exit(0); }
