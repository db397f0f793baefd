/* refused by name until it is written */
translator int < int x > { };
BEGIN { exit(0); }
