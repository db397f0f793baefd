/* arg0 is 0 in code of the program, arg1 the pc of the thread, arg2 how late it is; uregs are the
 * thread's */
/* run: -c "@spin@ 25000" */
#pragma D option quiet
profile-50hz /execname == "one"/ { n++; calls += arg0 != 0; bad += (arg0 != 0 && arg0 != -1) || arg1 == 0 || arg1 != uregs[17] || arg2 < 0 || arg3 != 0; }
profile-50hz /n == 20/ { exit(0); }
END { printf("%d %d\n", n, bad + (calls > 10)); }
