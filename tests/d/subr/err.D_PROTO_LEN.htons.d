/* refused */
BEGIN { this->x = htons(); exit(0); }
