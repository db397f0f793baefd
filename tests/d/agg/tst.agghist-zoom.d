/* run: -x agghist -x aggzoom */
/* the longest bar has 100 % of the width */
BEGIN { @[1] = sum(10); @[2] = sum(20); exit(0); }
