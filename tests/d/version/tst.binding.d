/* a name bound to a later version is not there in an earlier one */
/* run: -x version=1.8 */
#pragma D binding "1.9" late
inline int late = 3;
#pragma D binding "1.8" early
inline int early = 4;
BEGIN { late = 5; printf("%d %d\n", early, late); exit(0); }
