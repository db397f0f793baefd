/* refused by name until it is written */
enum e { A };
BEGIN { exit(0); }
