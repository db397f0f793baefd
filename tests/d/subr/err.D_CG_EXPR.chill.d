/* refused */
BEGIN { this->x = chill(1); exit(0); }
