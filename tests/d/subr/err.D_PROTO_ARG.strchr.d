/* refused */
BEGIN { this->x = strchr("a", "b"); exit(0); }
