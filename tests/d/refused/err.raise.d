/* refused by name until it is written */
BEGIN { raise(9); }
