/* refused */
BEGIN { this->x = stop(); exit(0); }
