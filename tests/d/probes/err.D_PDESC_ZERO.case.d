/* matching is case sensitive */
begin { exit(0); }
