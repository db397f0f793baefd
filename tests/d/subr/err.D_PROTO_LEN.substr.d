/* refused */
BEGIN { this->x = substr("a"); exit(0); }
