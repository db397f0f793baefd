/* a thread fires once in each 1/97 s that it runs: 40 samples take 412 ms of its run time */
/* run: -c "@spin@ 25000" */
long begun, span;
profile-97 /execname == "one" && n++ == 0/ { begun = vtimestamp; }
profile-97 /execname == "one" && n == 41/ { span = vtimestamp - begun; exit(0); }
END { printf("%d\n", span > 150000000 && span < 650000000); }
