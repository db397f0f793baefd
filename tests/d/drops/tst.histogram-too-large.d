/* run: -x aggsize=1k */
/* 127 buckets do not fit; a count does */
BEGIN { @a = quantize(1); @b = count(); exit(0); }
