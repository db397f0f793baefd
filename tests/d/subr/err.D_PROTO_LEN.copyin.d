/* refused */
BEGIN { this->x = copyin(1); exit(0); }
