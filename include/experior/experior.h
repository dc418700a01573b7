/* experior.h: the whole public interface, in the order in which data flows. */
#ifndef EXPERIOR_EXPERIOR_H
#define EXPERIOR_EXPERIOR_H

#include "experior/base.h"
#include "experior/rng.h"
#include "experior/env.h"
#include "experior/expert.h"
#include "experior/demos.h"
#include "experior/choices.h"
#include "experior/history.h"
#include "experior/prior.h"
#include "experior/sampler.h"
#include "experior/calibrate.h"
#include "experior/model.h"
#include "experior/segments.h"
#include "experior/session.h"
#include "experior/decisions.h"
#include "experior/inspect.h"
#include "experior/sensitivity.h"
#include "experior/peers.h"
#include "experior/simulate.h"
#include "experior/picture.h"
#include "experior/study.h"
#include "experior/sweep.h"
#include "experior/aggregate.h"
#include "experior/catalogue.h"
#include "experior/report.h"

#endif
