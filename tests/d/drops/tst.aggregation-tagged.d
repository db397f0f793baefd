/* run: -x aggsize=0 -x droptags */
BEGIN { @ = count(); exit(0); }
