/* $0 is the script */
/* run: -q -s @file@ @file@ */
BEGIN { printf("%s\n", $0 == $$1 ? "same" : "other"); exit(0); }
