BEGIN { this->a["x"] = 1; exit(0); }
