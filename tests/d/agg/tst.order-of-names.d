/* several aggregations print in order of first appearance */
BEGIN { @z = sum(1); }
BEGIN { @a = sum(3); @m = sum(2); @z = sum(1); exit(0); }
