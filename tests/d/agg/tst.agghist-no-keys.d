/* run: -x agghist */
/* no keys: one full bar; an average keeps its row */
BEGIN { @a = sum(4); @b = avg(4); exit(0); }
