/* built-in variables and functions */
inline int me = pid;
inline size_t length[string s] = strlen(s);
BEGIN { printf("%d %d %d\n", me == $pid, length["four"], length[probename]); exit(0); }
