/* run: -x aggpack -x aggzoom -x encoding=ascii */
/* against the largest count of each element */
BEGIN { @ = quantize(1); @ = quantize(2, 2); @ = quantize(4, 4); @ = quantize(8, 7); exit(0); }
