// The flags of the services of `trace`: metrics, OTLP, samplers, annotations, inference, the cluster.
//
// Each service has a struct of settings and knows nothing of the command line. Threads: while parsing only.
#pragma once

#include "agent/annotations/annotation_intake.h"
#include "agent/inference/inference_watch.h"
#include "agent/metrics/metrics_endpoint.h"
#include "agent/otlp/settings.h"
#include "agent/sampling/sampling.h"
#include "cli/parser.h"
#include "fleet/send/settings.h"

namespace ingero::cli {

void add_metrics_options(Command command, agent::MetricsOptions& options);
void add_otlp_options(Command command, agent::OtlpSettings& options);
void add_sampling_options(Command command, agent::SamplingOptions& options);
void add_annotation_options(Command command, agent::AnnotationOptions& options);
void add_inference_options(Command command, agent::InferenceOptions& options);
// Also of `fleet-push`. `usual_node`: what --fleet-node-id is by default. Returns --fleet-endpoint.
Flag add_cluster_options(Command command, fleet::send::Settings& options, const char* usual_node);
// Puts the flags of `trace` under headings, as help lists them. After the last flag was added; hidden ones stay hidden.
void group_trace_flags(Command command);

}  // namespace ingero::cli
