/* refused */
BEGIN { this->x = d_path(1); exit(0); }
