/* no room for aggregations: counted */
/* run: -x aggsize=1 */
BEGIN { @[1] = count(); @[2] = count(); exit(0); }
