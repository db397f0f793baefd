/* SPDX-License-Identifier: MIT */
BEGIN { this->s = "a,b,,c"; }
BEGIN { printf("%s ", strtok(this->s, ",")); }
BEGIN { printf("%s ", strtok(NULL, ",")); }
BEGIN { printf("%s\n", strtok(NULL, ",")); }
BEGIN /strtok(NULL, ",") == NULL/ { printf("end\n"); }
BEGIN { exit(0); }
