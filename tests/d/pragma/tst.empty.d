/* the option empty allows an empty program */
#pragma D option empty
