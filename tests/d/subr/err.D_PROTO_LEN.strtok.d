/* refused */
BEGIN { this->x = strtok("a"); exit(0); }
