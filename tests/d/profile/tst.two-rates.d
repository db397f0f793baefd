/* each probe at its own rate */
/* run: -c "@spin@ 25000" */
profile-20hz /execname == "one"/ { slow++; }
profile-100hz /execname == "one"/ { fast++; }
profile-20hz /slow == 20/ { exit(0); }
END { printf("%d %d\n", fast > 70, fast < 140); }
