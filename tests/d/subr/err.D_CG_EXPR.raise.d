/* refused */
BEGIN { this->x = raise(9); exit(0); }
