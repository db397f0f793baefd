/* run: -C -x cpppath=/nonexistent/cpp */
BEGIN { exit(0); }
