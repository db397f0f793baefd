BEGIN { trace(curlwpsinfo->pr_name[16]); exit(0); }
