/* refused by name until it is written */
BEGIN { chill(1); }
