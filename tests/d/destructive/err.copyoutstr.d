/* refused when it is enabled, without -w */
BEGIN { exit(0); }
END { copyoutstr("a", 1, 2); }
