/* refused when it is enabled, without -w */
BEGIN { exit(0); }
END { copyout(alloca(1), 1, 1); }
