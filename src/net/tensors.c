/* tensors.c: see tensors.h. */
#include "net/tensors.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LAYERS = 6 };

/* The tensors of a member in the order of xp__net_get; no columns: one dimension. */
typedef struct layer {
    const char *name;
    size_t rows, columns;
} layer;

static void layers_of(const xp__net_options *o, layer list[LAYERS]) {
    list[0] = (layer){"layer1.weight", o->hidden, o->inputs};
    list[1] = (layer){"layer1.bias", o->hidden, 0};
    list[2] = (layer){"layer2.weight", o->hidden, o->hidden};
    list[3] = (layer){"layer2.bias", o->hidden, 0};
    list[4] = (layer){"layer3.weight", o->actions, o->hidden};
    list[5] = (layer){"layer3.bias", o->actions, 0};
}

static size_t layer_size(const layer *each) {
    return each->rows * (each->columns > 0 ? each->columns : 1);
}

static void name_layer(char name[XP__TENSOR_NAME], const char *prefix, size_t member,
                       const char *part) {
    (void)snprintf(name, XP__TENSOR_NAME, "%s.%zu.%s", prefix, member, part);
}

void xp__net_write(const xp__net *net, const char *prefix, xp__tensors *file) {
    const xp__net_options *options = xp__net_get_options(net);
    const size_t count = xp__net_parameter_count(net);
    float *at = xp__tensors_block(file, options->members * count * sizeof *at);
    layer list[LAYERS];
    layers_of(options, list);
    for (size_t member = 0; at != NULL && member < options->members; member++) {
        xp__net_get(net, member, at);
        for (size_t i = 0; i < LAYERS; i++) {
            char name[XP__TENSOR_NAME];
            name_layer(name, prefix, member, list[i].name);
            xp__tensors_add(file, name, XP__F32, list[i].rows, list[i].columns, at);
            at += layer_size(&list[i]);
        }
    }
}

static size_t count_members(const xp__tensor_file *file, const char *prefix) {
    size_t members = 0;
    char name[XP__TENSOR_NAME];
    do {
        name_layer(name, prefix, members, "layer1.weight");
    } while (xp__tensor_file_find(file, name) != NULL && ++members < file->count);
    return members;
}

static xp_status read_member(const xp__tensor_file *file, const char *prefix, size_t member,
                             const layer list[LAYERS], float *at, xp_error *error) {
    for (size_t i = 0; i < LAYERS; i++) {
        char name[XP__TENSOR_NAME];
        name_layer(name, prefix, member, list[i].name);
        const xp__tensor *tensor;
        const xp_status status = xp__tensor_file_need(file, name, XP__F32, list[i].rows,
                                                      list[i].columns, &tensor, error);
        if (status != XP_OK) {
            return status;
        }
        const size_t size = layer_size(&list[i]);
        memcpy(at, tensor->data, size * sizeof *at);
        for (size_t j = 0; j < size; j++) {
            if (!isfinite(at[j])) {
                return xp_error_set(error, XP_ERR_INPUT, "%s: tensor '%s': number %zu is %g",
                                    file->name, name, j, (double)at[j]);
            }
        }
        at += size;
    }
    return XP_OK;
}

xp_status xp__net_read(const xp__tensor_file *file, const char *prefix,
                       const xp__net_options *options, xp__net **net, xp_error *error) {
    *net = NULL;
    xp__net_options sizes = *options;
    layer list[LAYERS];
    layers_of(&sizes, list);
    sizes.members = count_members(file, prefix);
    char name[XP__TENSOR_NAME];
    name_layer(name, prefix, 0, list[0].name);
    /* The first tensor bears out the sizes before memory is taken for them. */
    const xp__tensor *first;
    xp_status status =
        xp__tensor_file_need(file, name, XP__F32, list[0].rows, list[0].columns, &first, error);
    if (status == XP_OK) {
        status = xp__net_create(&sizes, NULL, net, error);
    }
    if (status != XP_OK) {
        return status;
    }
    float *parameters = xp__alloc(xp__net_parameter_count(*net), sizeof *parameters);
    status = parameters != NULL ? XP_OK : xp__no_memory(error);
    for (size_t member = 0; status == XP_OK && member < sizes.members; member++) {
        status = read_member(file, prefix, member, list, parameters, error);
        if (status == XP_OK) {
            xp__net_set(*net, member, parameters);
        }
    }
    xp__free(parameters);
    if (status != XP_OK) {
        xp__net_destroy(*net);
        *net = NULL;
    }
    return status;
}
