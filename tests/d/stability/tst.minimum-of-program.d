/* set in the program, from there on */
#pragma D attributes Evolving/Evolving/Common x
inline int x = 3;
BEGIN { printf("%d\n", x); }
#pragma D option amin=evolving/Evolving/common
BEGIN { printf("%d\n", x); exit(0); }
