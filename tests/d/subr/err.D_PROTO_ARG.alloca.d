/* refused */
BEGIN { this->x = alloca("1"); exit(0); }
