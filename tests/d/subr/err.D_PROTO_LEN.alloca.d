/* refused */
BEGIN { this->x = alloca(); exit(0); }
