/* the second argument is an integer constant */
BEGIN { x = 1; this->a = (struct in6_addr *)alloca(16); trace(inet_ntoa6(this->a, x)); }
