/* refused */
BEGIN { this->x = rw_iswriter(1); exit(0); }
