/* refused */
BEGIN { this->x = getminor(1); exit(0); }
