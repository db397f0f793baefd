BEGIN { exit(0); }
nosuch:::probe { exit(0); }
