/* refused */
BEGIN { this->x = inet_ntoa((int64_t *)alloca(8)); exit(0); }
