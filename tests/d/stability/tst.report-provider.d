/* a declared provider's attributes are in the report of what names it */
/* command: -e -v -Z -s @file@ */
provider myapp { probe go(int); };
#pragma D attributes Stable/Evolving/Group provider myapp provider
#pragma D attributes Evolving/Evolving/Common provider myapp name
myapp1234:::go { trace(1); }
