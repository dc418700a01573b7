/* explore_labels.h: optimistic rewards for demonstrated steps, whose rewards nobody recorded (Li et
 * al., "Accelerating exploration with unlabeled prior data", 2023):
 *
 *     label(s, a) = r̂(s, a) + scale · novelty(s, a)
 *
 * r̂ is a network fitted to the rewards seen online. Novelty is random network distillation (Burda
 * et al., 2019): the mean squared difference, over `features` outputs, between a frozen random
 * network and a predictor that takes one step of Adam towards it for each pair (s, a) met online,
 * when it is met. It is told in units of its mean over the demonstrated states and all actions
 * before the first visit, so that `scale` is what a step that was never tried is worth, whatever
 * the networks' sizes.
 *
 * The networks read the state and have outputs for every action. */
#ifndef XP_AGENT_STATES_EXPLORE_LABELS_H
#define XP_AGENT_STATES_EXPLORE_LABELS_H

#include "base/archive.h"
#include "encode/encoded_demos.h"

typedef struct xp__explore_labels_options {
    size_t hidden, actions;
    size_t features;                  /* outputs per action of the two networks of novelty */
    size_t rows;                      /* most rows that are fitted or labelled at a time */
    double reward_rate, novelty_rate; /* step sizes of Adam */
    double scale;
} xp__explore_labels_options;

typedef struct xp__explore_labels {
    xp__explore_labels_options options;
    xp__state_input input;
    xp__net *reward, *predictor, *frozen; /* of one member each */
    double unit;                          /* of novelty */
    float *reward_out;                    /* [rows][actions] */
    float *predictor_out, *frozen_out;    /* [rows][actions][features] */
} xp__explore_labels;

/* Fails where actions × features is more than the outputs of a network. */
xp_status xp__explore_labels_init(xp__explore_labels *labels,
                                  const xp__explore_labels_options *options,
                                  const xp__state_input *input, xp_error *error);
void xp__explore_labels_deinit(xp__explore_labels *labels); /* also one that is all zero */

/* Draws all networks anew and takes the unit of novelty from the states of `demos`. */
void xp__explore_labels_reset(xp__explore_labels *labels, const xp_rng *rng,
                              const xp__encoded_demos *demos);

/* Walks the networks and the unit (base/archive.h). */
void xp__explore_labels_archive(xp__explore_labels *labels, xp__archive *archive);

/* The pair (s, a) has been met online. */
void xp__explore_labels_visit(xp__explore_labels *labels, const void *row, size_t action);
/* A step towards rewards seen online, given as for xp__net_td_loss. */
void xp__explore_labels_fit(xp__explore_labels *labels, const void *rows, size_t count,
                            xp__net_td *rewards);
/* label[count][actions] of up to options.rows rows. */
void xp__explore_labels_of(xp__explore_labels *labels, const void *rows, size_t count,
                           float *label);

#endif
