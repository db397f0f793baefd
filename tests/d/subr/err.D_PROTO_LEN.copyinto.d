/* refused */
BEGIN { copyinto(1, 2); exit(0); }
