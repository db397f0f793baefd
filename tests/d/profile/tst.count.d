/* a running thread fires N times a second: 20 samples take 206 ms, where the machine keeps up */
/* run: -c "@spin@ 25000" */
long begun, span;
profile-97 /execname == "one"/ { n++; }
profile-97 /execname == "one" && n % 20 == 1/ { span = begun ? timestamp - begun : 0; begun = timestamp; }
profile-97 /execname == "one" && n % 20 == 1 && span > 190000000 && span < 240000000/ { exit(0); }
END { printf("%d\n", span > 190000000 && span < 240000000); }
