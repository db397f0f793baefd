/* run: -w -s @file@ */
/* told when not quiet */
BEGIN { exit(0); }
END /0/ { copyout(alloca(1), 1, 1); }
