/* refused */
BEGIN { this->x = strtoll(12); exit(0); }
