/* run: -x aggpack -x encoding=ascii */
/* one bucket, one more to each side */
BEGIN { @x = quantize(1 << 32); exit(0); }
