/* refused */
BEGIN { this->x = substr("a", 1, 2, 3); exit(0); }
