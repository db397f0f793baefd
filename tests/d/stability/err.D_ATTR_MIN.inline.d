/* run: -x amin=Stable/Stable/Common */
#pragma D attributes Evolving/Evolving/Common x
inline int x = 3;
BEGIN { trace(x); exit(0); }
