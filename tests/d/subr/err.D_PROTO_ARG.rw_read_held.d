/* refused */
BEGIN { this->x = rw_read_held(1); exit(0); }
