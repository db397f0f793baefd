BEGIN { trace('123456789'); exit(0); }
