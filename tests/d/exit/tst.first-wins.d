/* of two in one clause */
BEGIN { exit(3); exit(4); }
