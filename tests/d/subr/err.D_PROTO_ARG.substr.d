/* refused */
BEGIN { this->x = substr("a", "b"); exit(0); }
