/* refused */
BEGIN { this->x = htonl("1"); exit(0); }
