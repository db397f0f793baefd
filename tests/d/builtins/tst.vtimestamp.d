/* processor time grows less than time */
BEGIN { v = vtimestamp; t = timestamp; printf("%d\n", v > 0); }
tick-50ms { printf("%d %d\n", vtimestamp >= v, vtimestamp - v < timestamp - t); exit(0); }
