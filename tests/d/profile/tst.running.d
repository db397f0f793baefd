/* threads that run are sampled, threads that sleep are not */
/* run: -c "@spin@ 5000" */
profile-97 /execname != "spin"/ { @[execname] = max(1); }
tick-1500ms { exit(0); }
END { printa("%s\n", @); }
