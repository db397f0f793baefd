/* every suffix makes a probe, also one that is in no table */
tick-1ms { x = 1; }
tick-3600s, tick-60min, tick-1h, tick-1d, tick-300000us, tick-1SEC, tick-5hz, tick-4999hz, tick-17, tick-2msec { x = 1; }
BEGIN { exit(0); }
