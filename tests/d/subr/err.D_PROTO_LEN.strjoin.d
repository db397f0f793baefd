/* refused */
BEGIN { this->x = strjoin("a"); exit(0); }
