/* run: -x agghist -x aggzoom */
/* with negative values the longest bar has 95 % of its side, or of the width */
BEGIN { @a[1] = sum(10); @a[2] = sum(-20); @b[1] = sum(-10); @b[2] = sum(-20); exit(0); }
