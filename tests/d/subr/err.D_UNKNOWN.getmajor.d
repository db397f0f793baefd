/* refused */
BEGIN { this->x = getmajor(1); exit(0); }
