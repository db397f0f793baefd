/* refused */
BEGIN { this->x = getf(1); exit(0); }
