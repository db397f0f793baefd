/* refused */
BEGIN { x = copyinto(1, 1, alloca(1)); exit(0); }
