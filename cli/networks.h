/* networks.h: what a file of Q-networks (safetensors) holds. */
#ifndef CLI_NETWORKS_H
#define CLI_NETWORKS_H

#include <stdbool.h>

/* Whether a file's name says that it holds networks. */
bool cli_means_networks(const char *path);
/* Reads and checks the whole file and prints its sizes; returns the exit code. */
int cli_inspect_networks(const char *path, bool json);

#endif
