/* what the pragma says of an inline is what -v shows */
/* run: -v */
#pragma D attributes Evolving/Private/ISA x
inline int x = 3;
inline int y = 4;
#pragma D attributes Standard/Standard/Common y
BEGIN { printf("%d\n", x + y); exit(0); }
