/* run: -x amin=Evolving/Evolving/Common */
#pragma D attributes Private/Stable/Common x
inline int x = 3;
BEGIN { trace(x); exit(0); }
