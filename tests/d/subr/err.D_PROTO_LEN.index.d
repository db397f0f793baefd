/* refused */
BEGIN { this->x = index("a"); exit(0); }
