/* run: -x aggzoom */
/* the longest bar has 95 % of the width */
BEGIN { @ = quantize(1); @ = quantize(2, 3); exit(0); }
