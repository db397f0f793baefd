/* only scratch memory may be written */
BEGIN { *(int *)64 = 5; }
BEGIN { exit(0); }
