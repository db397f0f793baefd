BEGIN { gcore("%d"); exit(0); }
