/* refused */
BEGIN { this->x = json("{}", 1); exit(0); }
