/* refused */
BEGIN { this->x = strlen(5); exit(0); }
