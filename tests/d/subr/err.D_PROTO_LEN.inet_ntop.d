/* refused */
BEGIN { this->x = inet_ntop(2); exit(0); }
