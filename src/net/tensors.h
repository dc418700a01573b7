/* tensors.h: ensembles among the tensors of a file: "<prefix>.0.layer1.weight" [hidden, inputs],
 * "….bias" [hidden], and so on for layer2 and layer3, in 32-bit floats. Moments are not kept. */
#ifndef XP_NET_TENSORS_H
#define XP_NET_TENSORS_H

#include "base/bytes/tensors.h"
#include "net/net.h"

/* Adds all members. */
void xp__net_write(const xp__net *net, const char *prefix, xp__tensors *file);
/* Reads the members that are there, of the sizes in `options` but for their number, which comes
 * from the file. Every number must be finite. */
xp_status xp__net_read(const xp__tensor_file *file, const char *prefix,
                       const xp__net_options *options, xp__net **net, xp_error *error);

#endif
