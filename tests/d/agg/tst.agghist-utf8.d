/* run: -x agghist -x encoding=utf8 */
/* eighths of a cell */
BEGIN { @[1] = sum(1); @[2] = sum(99); exit(0); }
