inline int x = this->unknown;
BEGIN { exit(0); }
