/* Any bytes as the body of any request are refused in a sentence, or are done, against a store in
 * memory; the answer is JSON. The first byte says which request it is. */
#include "serve/protocol/body.h"

#undef NDEBUG
#include <assert.h>
#include <jansson.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct {
    const serve_job_type *type;
    serve_outcome (*read)(const char *, size_t, serve_job *, serve_problem *);
} requests[] = {{&serve_job_decide, serve_body_decide}, {&serve_job_reward, serve_body_rewards},
                {&serve_job_create, serve_body_create}, {&serve_job_arm, serve_body_arms},
                {&serve_job_pause, serve_body_empty},   {&serve_job_show, serve_body_empty}};
static const char experiment[] = "0123456789abcdef"; /* its decisions are 0123456789abcdef-1 … -3 */
static serve_store *store;
static serve_book *book;

static void run(const serve_job_type *type, serve_job *job) {
    serve_problem problem = {.code = 0};
    job->type = type;
    memcpy(job->id, experiment, sizeof experiment);
    const serve_outcome outcome = type->run(book, job, &problem);
    assert(outcome != SERVE_BROKEN);
    if (outcome == SERVE_REFUSED) {
        assert(problem.code >= 400 && problem.code < 500 && strlen(problem.text) > 5);
        return;
    }
    json_t *answer = json_loadb(job->answer.data, job->answer.length, 0, NULL);
    assert(answer != NULL);
    json_decref(answer);
}

static void prepare(void) {
    static const char choices[] =
        "{\"name\": \"x\", \"choices\": {\"a\": 3, \"b\": 1}, \"seed\": 1}";
    const serve_store_options options = {.place = ":memory:", .sync = SERVE_SYNC_OFF};
    char message[256];
    serve_problem problem;
    serve_job made = {.code = 0}, decided = {.code = 0};
    store = serve_store_open(&options, message, sizeof message);
    book = store != NULL ? serve_book_create(store) : NULL;
    assert(book != NULL);
    serve_book_begin(book, 1);
    assert(store->type->begin(store, true));
    assert(serve_body_create(choices, sizeof choices - 1, &made, &problem) == SERVE_DONE);
    assert(serve_experiment_create(book, &made.create, experiment, &problem) == SERVE_DONE);
    assert(serve_body_decide("{\"count\": 3}", 12, &decided, &problem) == SERVE_DONE);
    run(&serve_job_decide, &decided);
    assert(serve_book_flush(book) && store->type->commit(store));
    serve_job_deinit(&made);
    serve_job_deinit(&decided);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (store == NULL) {
        prepare();
    }
    if (size == 0) {
        return 0;
    }
    const size_t which = data[0] % (sizeof requests / sizeof requests[0]);
    serve_job job = {.code = 0};
    serve_problem problem = {.code = 0};
    if (requests[which].read((const char *)data + 1, size - 1, &job, &problem) == SERVE_DONE) {
        serve_book_begin(book, 2);
        assert(store->type->begin(store, true));
        run(requests[which].type, &job);
        assert(serve_book_flush(book));
        store->type->rollback(store);
        serve_book_forget(book);
    } else {
        assert(problem.code >= 400 && problem.code < 500 && strlen(problem.text) > 5);
    }
    serve_job_deinit(&job);
    return 0;
}
