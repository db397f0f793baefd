/* refused */
BEGIN { this->x = strjoin("a", 5); exit(0); }
