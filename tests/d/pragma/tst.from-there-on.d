/* an option acts on what follows it, not on the clause or definition before */
BEGIN { printf("%d ", sizeof (string)); }
#pragma D option strsize=16
BEGIN { printf("%d\n", sizeof (string)); }
inline int before = sizeof (string);
#pragma D option strsize=32
BEGIN { printf("%d %d\n", before, sizeof (string)); exit(0); }
