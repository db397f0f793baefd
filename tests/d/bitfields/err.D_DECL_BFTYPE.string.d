struct s { string a : 3; };
BEGIN { exit(0); }
