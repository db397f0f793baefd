/* threads that run are sampled; the two that sleep are not: they alone keep the program's name */
/* run: -c "@spin@ 25000" */
profile-97 /execname != "spin"/ { @[execname] = max(1); }
profile-97 /execname == "one"/ { one++; }
profile-97 /execname == "two"/ { two++; }
profile-97 /execname == "spin"/ { asleep++; }
profile-97 /one >= 20 && two >= 20/ { exit(0); }
END { printa("%s\n", @); printf("%s\n", asleep < 20 ? "asleep" : "awake"); }
