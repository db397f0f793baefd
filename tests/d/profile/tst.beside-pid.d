/* samples beside breakpoints */
/* run: -c "@busy@ 60" */
pid$target:a.out:work:entry { calls++; }
profile-97 { samples++; }
tick-100ms /calls > 100 && samples > 20/ { exit(0); }
END { printf("%d\n", calls > 100 && samples > 20); }
