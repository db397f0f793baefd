/* run: -x aggsize=512 -x strsize=1024 */
BEGIN { @["a"] = count(); exit(0); }
