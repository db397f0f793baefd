/* a process that runs already */
/* target: spin 20000 */
/* run: -p @pid@ */
profile-97 /pid == $target && tid != pid/ { n++; }
profile-97 /n >= 20/ { printf("%s\n", probename); exit(0); }
