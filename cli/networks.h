/* networks.h: what a model with states (safetensors) holds. */
#ifndef CLI_NETWORKS_H
#define CLI_NETWORKS_H

#include <stdbool.h>

/* Whether a file's name says that it is a model with states. */
bool cli_means_networks(const char *path);
/* Reads and checks the whole file and prints what it is; returns the exit code. */
int cli_inspect_networks(const char *path, bool json);

#endif
