/* write_minari.c: writes a small Minari dataset to the path it is given. */
#include "minari_file.h"

int main(int argc, char **argv) {
    if (argc != 2) {
        (void)fputs("usage: write_minari PATH\n", stderr);
        return 2;
    }
    return H5Fclose(minari_file(argv[1])) < 0;
}
