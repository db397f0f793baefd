/* refused by name until it is written */
BEGIN { ustack(); exit(0); }
