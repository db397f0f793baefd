/* SPDX-License-Identifier: MIT */
BEGIN{x=1;}BEGIN/x==1/{y["a"]=x+++x;printf("%d %d\n",x,y["a"]);}BEGIN{@=count();exit(0);}END{printa("%@d\n",@);}
