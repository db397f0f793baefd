/* a bad address in a recorded string */
BEGIN { printf("%s\n", stringof (char *)16); }
BEGIN { trace(stringof (char *)24); }
BEGIN { exit(0); }
