/* Networks and memory: it is taken when they are made, and never while they train or act. */
#include "claim.h"
#include "house/failing_allocator.h"

#include "net/net.h"

#include <stdint.h>

static xp_status make_net(xp__net **net) {
    xp__net_options options = xp__net_options_default(3, 2, 1);
    options.members = 2;
    options.hidden = 4;
    const xp_rng rng = xp_rng_seed(1);
    return xp__net_create(&options, &rng, net, NULL);
}

CLAIM(running_out_of_memory_anywhere_leaves_nothing_behind) {
    xp_status status = XP_ERR_MEMORY;
    size_t fail_at = 0;
    for (; status != XP_OK && fail_at < 1000; fail_at++) {
        failing_allocator allocator;
        failing_allocator_install(&allocator, fail_at);
        xp__net *net = NULL;
        xp__net_batch batch = {.rows = NULL};
        status = make_net(&net);
        if (status == XP_OK) {
            status = xp__net_batch_init(&batch, net, 10, NULL);
        }
        EXPECT(status == XP_OK || status == XP_ERR_MEMORY);
        xp__net_batch_deinit(&batch);
        xp__net_destroy(net);
        EXPECT(allocator.alive == 0);
    }
    EXPECT(status == XP_OK && fail_at > 4);
    xp__allocator_install(NULL);
}

CLAIM(training_and_evaluating_take_no_memory) {
    failing_allocator allocator;
    failing_allocator_install(&allocator, SIZE_MAX);
    xp__net *net = NULL;
    EXPECT(make_net(&net) == XP_OK);
    xp__net_batch batch;
    EXPECT(xp__net_batch_init(&batch, net, 10, NULL) == XP_OK);
    const size_t calls = allocator.calls;
    const uint32_t state = 1;
    (void)xp__net_batch_add(&batch, &state, 1);
    xp__net_td td = xp__net_td_of(&batch);
    const xp__net_rows rows = xp__net_batch_rows(&batch);
    xp__net_train(net, &rows, xp__net_td_loss, &td, NULL);
    (void)xp__net_greedy(net, 1, &rows);
    xp__net_batch_clear(&batch);
    EXPECT(allocator.calls == calls);
    xp__net_batch_deinit(&batch);
    xp__net_destroy(net);
    EXPECT(allocator.alive == 0);
    xp__allocator_install(NULL);
}
