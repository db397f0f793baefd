/* refused */
BEGIN { this->x = rand(1); exit(0); }
