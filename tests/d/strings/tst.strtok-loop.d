/* as many tokens as there are, one clause each */
BEGIN { this->t = strtok("/usr/lib/x", "/"); }
BEGIN /this->t != NULL/ { printf("%s\n", this->t); this->t = strtok(NULL, "/"); }
BEGIN /this->t != NULL/ { printf("%s\n", this->t); this->t = strtok(NULL, "/"); }
BEGIN /this->t != NULL/ { printf("%s\n", this->t); this->t = strtok(NULL, "/"); }
BEGIN /this->t != NULL/ { printf("%s\n", this->t); this->t = strtok(NULL, "/"); }
BEGIN { exit(0); }
