/* and what args[] are */
/* command: -lv -P diag */
