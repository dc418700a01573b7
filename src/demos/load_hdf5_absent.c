/* load_hdf5_absent.c: what a library built without HDF5 says to a Minari dataset. */
#include "demos/demos_type.h"

xp_status xp__demos_load_hdf5(const char *path, const xp_env_info *env, xp_demos **demos,
                              xp_error *error) {
    (void)env;
    *demos = NULL;
    const xp__lines place = {.name = path};
    return xp__lines_fail_file(&place, error,
                               "HDF5 files cannot be read by this build of experior: install "
                               "libhdf5-dev and build it again with -DXP_HDF5=ON");
}
