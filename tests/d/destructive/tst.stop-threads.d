/* stop() in one thread stops them all */
/* run: -w -c "@spin@ 20000" */
profile-97 /execname == "one" && !stopped/ { stop(); stopped = timestamp; }
profile-97 /stopped && timestamp - stopped > 200000000/ { late++; }
tick-1s /stopped/ { printf("%d\n", late); exit(0); }
