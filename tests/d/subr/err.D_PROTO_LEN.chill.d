/* refused */
BEGIN { chill(); exit(0); }
