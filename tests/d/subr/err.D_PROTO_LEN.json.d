/* refused */
BEGIN { this->x = json("{}"); exit(0); }
