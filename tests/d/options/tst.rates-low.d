/* run: -x cleanrate=2min -x statusrate=5s */
BEGIN { exit(0); }
