/* refused when it is enabled, without -w */
BEGIN { exit(0); }
END { dump("core"); }
