/* comments, blanks, line continuation, an interpreter line anywhere */
#!/usr/sbin/dtrace -s
BEGIN/* a comment
   of * two / lines */{printf("%d\n"
	,1 +/**/2	)
;x=\
7;
  #! ignored
	printf("%d\n", x); exit(0);}
