/* a pragma lowers the version from there on */
inline int before = sizeof (int);
#pragma D option version=1.0
BEGIN { index = before; printf("%d\n", index); exit(0); }
