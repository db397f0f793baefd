/* run: -C -I @dir@ */
#error "as a person would put it"
BEGIN { exit(0); }
