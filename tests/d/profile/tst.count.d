/* a running thread fires N times a second, give or take one at both ends */
/* run: -c "@spin@ 5000" */
int n, off;
profile-97 /execname == "one" && !first/ { first = timestamp; }
profile-97 /execname == "one"/ { n++; last = timestamp; }
tick-2s { exit(0); }
END { off = (last - first) * 97 / 1000000000 - n; printf("%d %d\n", n > 150, off >= -3 && off <= 20); }
