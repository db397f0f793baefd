/* run: -x encoding=utf8 */
/* eighths of a cell, truncated; ASCII as soon as a count is negative */
BEGIN { @a = quantize(1); @a = quantize(2, 12); @b = quantize(1, -1); @b = quantize(2, 2); exit(0); }
