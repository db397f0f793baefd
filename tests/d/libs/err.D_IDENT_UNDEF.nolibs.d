/* run: -x nolibs */
BEGIN { trace(SIGINT); exit(0); }
