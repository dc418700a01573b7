/* pages.h: large pages for the parameters of an ensemble. */
#ifndef XP_NET_PAGES_H
#define XP_NET_PAGES_H

#include <stddef.h>

/* Asks the system to back fresh memory with large pages, where it knows how: a step reads records
 * that lie all over many megabytes, and finding small pages costs about a tenth of it. A hint:
 * there is nothing to fail. */
void xp__net_large_pages(void *block, size_t bytes);

#endif
