/* refused */
BEGIN { this->x = lltostr(); exit(0); }
