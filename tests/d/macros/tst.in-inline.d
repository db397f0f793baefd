/* macros in definitions */
/* run: 7 text */
inline int seven = $1;
inline string text = $$2;
BEGIN { printf("%d %s\n", seven, text); exit(0); }
