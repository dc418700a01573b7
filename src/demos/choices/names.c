/* names.c: what columns are probably for, by the names that people give them. */
#include "demos/choices/choices_type.h"

#include "base/text/scan.h"
#include "table/values.h"

#include <string.h>

static const char counts[] =
    "count|counts|n|freq|frequency|cnt|num|total|rows|size|times|nrow|nobs|obs|freqs|frequencies|"
    "number|numbers|quantity|qty|tally|occurrences|observations|cases|"
    "anzahl|haeufigkeit|h\xc3\xa4ufigkeit|nombre|effectif|effectifs|cantidad|frecuencia|conteo|"
    "numero|n\xc3\xbamero|quantidade|contagem|frequenza|conteggio|aantal|antal|liczba|"
    "ilo\xc5\x9b\xc4\x87|"
    "\xd0\xba\xd0\xbe\xd0\xbb\xd0\xb8\xd1\x87\xd0\xb5\xd1\x81\xd1\x82\xd0\xb2\xd0\xbe|"
    "\xe6\x95\xb0\xe9\x87\x8f|\xe4\xbb\xb6\xe6\x95\xb0|\xe4\xba\xba\xe6\x95\xb0"; /* Chinese,
                                                                                     Japanese */

/* Whether `text` begins with `word`, whatever the case of ASCII letters. */
static bool begins(const char *text, const char *word) {
    char start[16];
    const size_t length = strlen(word);
    if (length >= sizeof start || strlen(text) < length) {
        return false;
    }
    memcpy(start, text, length);
    start[length] = '\0';
    return xp__scan_same(start, word);
}

bool xp__choices_counts_name(const char *name) {
    static const char *const starts[] = {"n_",         "nb_",     "num_",   "no_of_", "number of ",
                                         "number_of_", "no. of ", "count ", "count_", "count("};
    static const char *const ends[] = {"_count", "_counts", " count", " counts", "_freq", "_n"};
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        if (begins(name, starts[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const size_t end = strlen(ends[i]);
        if (length > end && xp__scan_same(name + length - end, ends[i])) {
            return true;
        }
    }
    return xp__is_listed(name, counts);
}

bool xp__choices_weights_name(const char *name) {
    return xp__is_listed(name, "weight|weights|w|wt|sample_weight|wgt|survey_weight|freq_weight|"
                               "gewicht|poids|peso|pondera");
}

bool xp__choices_marks_name(const char *name) {
    return xp__is_listed(name, "chosen|choice|choices|selected|select|picked|pick|taken|is_chosen|"
                               "was_chosen|is_selected|chose|decision|selection|chosen?|"
                               "gew\xc3\xa4hlt|choisi");
}
