/* run: -x aggsize=48 */
/* two elements fit */
BEGIN { @[1] = count(); @[2] = count(); @[3] = count(); @[4] = count(); @[1] = count(); exit(0); }
