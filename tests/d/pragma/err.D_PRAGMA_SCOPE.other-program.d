/* run: -x empty -n 'inline int x = 3;' */
#pragma D attributes Stable/Stable/Common x
BEGIN { exit(0); }
