/* run: -x version=1.8 */
#pragma D binding "1.9" late
inline int late = 3;
BEGIN { trace(late); exit(0); }
