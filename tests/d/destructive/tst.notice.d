/* run: -w -s @file@ */
/* printed when not quiet */
BEGIN { exit(0); }
END /0/ { copyout(alloca(1), 1, 1); }
