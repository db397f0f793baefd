/* an aggregation never updated prints no rows */
BEGIN /0/ { @never = count(); @q = quantize(1); }
BEGIN { @once = count(); exit(0); }
