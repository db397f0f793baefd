/* refused */
BEGIN { raise(); exit(0); }
