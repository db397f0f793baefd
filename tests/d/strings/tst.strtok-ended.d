/* after the end there is nothing to go on from: address 0 */
ERROR { printf("fault %d at %x\n", arg4, arg5); exit(0); }
BEGIN { this->a = strtok("a", ":"); this->b = strtok(NULL, ":"); this->c = strtok(NULL, ":"); }
