/* refused by name until it is written */
BEGIN { stack(); exit(0); }
