/* after exit() the ends of processes are not reported */
/* run: -s @file@ -c "@dies@ segv" */
proc:::exit { exit(0); }
