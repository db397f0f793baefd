/* the type was fixed by the first use */
BEGIN { x = "a"; }
int x;
BEGIN { exit(0); }
