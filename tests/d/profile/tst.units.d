/* units, in either case; of a name any length */
profile-200us, profile-200usec { x = 1; }
profile-1ms, profile-1MSEC, profile-1s, profile-1Sec, profile-1m, profile-1min { x = 1; }
profile-1h, profile-1hour, profile-1d, profile-1day, profile-5000hz, profile-17 { x = 1; }
profile-1500000000ns, tick-30000000nsec, tick-000000000000000000000001hour { x = 1; }
BEGIN { printf("all\n"); exit(0); }
