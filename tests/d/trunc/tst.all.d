/* without a number nothing is left */
BEGIN { @["a"] = count(); @b = count(); exit(0); }
END { trunc(@); }
