enum e { m`A };
BEGIN { exit(0); }
