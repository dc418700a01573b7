/* service.h: hands over to experior-serve, the program that holds the decision service. It is apart
 * so that this one needs neither libmicrohttpd nor libcrypto. */
#ifndef CLI_SERVICE_H
#define CLI_SERVICE_H

#include "options.h"

/* Where the program is, relative to this one's folder or from the root; NULL ends the list. */
extern const char *const cli_service_places[];

/* The first of the places that holds a file to be trusted. */
bool cli_service_find(const char *const *places, char *path, size_t room);
/* Becomes "experior-serve COMMAND [ACTION] --name value …" with the options of the command, typed
 * or defaulted. Returns only on failure, with a sentence printed. */
int cli_service_run(const cli_arguments *arguments, const char *action);

#endif
