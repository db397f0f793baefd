/* run: -x aggpack -x encoding=utf8 */
/* eighths of a cell in height */
BEGIN { @ = quantize(1); @ = quantize(2, 2); @ = quantize(4, 4); @ = quantize(8, 7); exit(0); }
