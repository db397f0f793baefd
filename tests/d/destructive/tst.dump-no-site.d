/* a copy is made at sites of pid and fpid only */
/* run: -w */
BEGIN { gcore("/nonexistent/core"); }
BEGIN { exit(0); }
