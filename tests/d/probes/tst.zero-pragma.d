/* zdefs by pragma */
#pragma D option zdefs
nosuch:::probe { trace(1); }
BEGIN { exit(0); }
