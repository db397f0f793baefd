/* attributes of an inline stand for those of what it is made of */
/* run: -v */
inline int x = 3;
inline int y = x + 1;
#pragma D attributes Private/Private/Unknown x
#pragma D attributes Evolving/Evolving/Common y
BEGIN { printf("%d\n", y); exit(0); }
