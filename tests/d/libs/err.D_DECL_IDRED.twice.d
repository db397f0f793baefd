/* what a library defines cannot be defined again */
/* run: -L @dir@/one */
inline int WHICH = 3;
BEGIN { exit(0); }
