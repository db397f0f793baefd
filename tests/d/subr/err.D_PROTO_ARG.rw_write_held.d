/* refused */
BEGIN { this->x = rw_write_held(1); exit(0); }
