/* run: -x aggpack */
/* no other function is packed */
BEGIN { @a[1] = count(); @b = llquantize(3, 2, 0, 4, 2); exit(0); }
