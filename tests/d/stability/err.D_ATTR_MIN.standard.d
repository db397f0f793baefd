/* even built-in variables are below this */
/* run: -x amin=Standard/Standard/Common */
BEGIN { trace(pid); exit(0); }
