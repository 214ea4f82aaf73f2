// The flags of `trace`: one function for each service, in the order in which help lists them.
#include "cli/trace_flags.h"

#include "cli/flags.h"
#include "cli/legacy/legacy_flags.h"

namespace ingero::cli {

void add_metrics_options(Command command, agent::MetricsOptions& options) {
  const Flag wanted =
      command.add_option("--prometheus", options.server.address, "Serve Prometheus metrics at this HOST:PORT or :PORT")
          .type_name("ADDRESS");
  command.add_option("--prometheus-cert", options.server.certificate, "Serve them over TLS with this certificate (PEM)")
      .type_name("FILE")
      .needs(wanted);
  command.add_option("--prometheus-key", options.server.key, "The certificate's key (PEM)")
      .type_name("FILE")
      .needs(wanted);
  command
      .add_option("--prometheus-auth", options.server.auth_file,
                  "Require one of the secrets in this file: lines 'bearer TOKEN' or 'basic USER:PASSWORD'")
      .type_name("FILE")
      .needs(wanted);
  add_legacy_metric_names(command, options.legacy_names);
  command.add_flag("--prometheus-launch-sizes", options.launch_sizes,
                   "Also serve, and send by OTLP, histograms of grid and block sizes: 20 series for each process");
  command.add_flag("--prometheus-probe-cost", options.probe_cost,
                   "Also let the kernel time the probes' programs (costs some tens of nanoseconds per call)");
}

void add_otlp_options(Command command, agent::OtlpSettings& options) {
  const Flag wanted =
      command.add_option("--otlp", options.endpoint, "Send metrics by OTLP to this URL, or HOST:PORT (TLS)")
          .type_name("URL");
  command.add_flag("--otlp-traces", options.traces, "Also send spans: causal chains and slow collectives");
  command
      .add_option("--otlp-protocol", options.protocol,
                  "http/protobuf (default), http/json, grpc (OTEL_EXPORTER_OTLP_PROTOCOL)")
      .one_of({"http/protobuf", "http/json", "grpc"});
  command.add_option("--otlp-compression", options.compression, "gzip (default), none (OTEL_EXPORTER_OTLP_COMPRESSION)")
      .one_of({"gzip", "none"});
  command.add_option("--otlp-interval", options.interval, "How often metrics are sent").duration().show_default();
  command.add_option("--otlp-timeout", options.timeout, "Of one request (default 10s; OTEL_EXPORTER_OTLP_TIMEOUT)")
      .duration();
  command
      .add_option("--otlp-slow-collective", options.slow_collective,
                  "Send a span for each collective that took longer than this")
      .duration()
      .show_default();
  command
      .add_option("--otlp-headers", options.headers_file,
                  "Send the headers of this file: lines 'Name: value' (or OTEL_EXPORTER_OTLP_HEADERS)")
      .type_name("FILE");
  command
      .add_option("--otlp-ca", options.authorities,
                  "CA certificates to verify the receiver with (PEM; OTEL_EXPORTER_OTLP_CERTIFICATE)")
      .type_name("FILE");
  command
      .add_option("--otlp-cert", options.certificate, "Client certificate (PEM; OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE)")
      .type_name("FILE");
  command.add_option("--otlp-key", options.key, "Its key (PEM; OTEL_EXPORTER_OTLP_CLIENT_KEY)").type_name("FILE");
  command.add_option(
      "--otlp-queue", options.queue,
      "Directory for data that could not be sent yet (default: otlp-queue in the recordings' directory)");
  command
      .add_option("--otlp-queue-size", options.queue_size,
                  "Its maximum size; when it is full, the oldest data is dropped")
      .size()
      .show_default();
  command.add_flag("--otlp-insecure", options.insecure, "Use plain text where --otlp has no scheme; this machine only");
  command.add_flag("--otlp-insecure-allow-non-loopback", options.insecure_allowed,
                   "Allow plain text to other hosts: anyone on the path can read data and headers");
  command.all_need("otlp-", wanted);
}

void add_sampling_options(Command command, agent::SamplingOptions& options) {
  command.add_flag("--rdma-verbs", options.fabric_calls,
                   "Also probe the control path of the RDMA verbs library (connections, memory regions, events)");
  command.add_option("--rdma-interval", options.fabric_interval, "Read fabric adapters this often (0: never)")
      .duration()
      .show_default();
  command.add_option("--device-interval", options.device_interval, "Read devices this often (0: never)")
      .duration()
      .show_default();
  command.add_option("--sysfs-root", options.sys_root, "Look for devices and adapters under this directory")
      .show_default();
  command.add_option("--kernel-log", options.kernel_log, "Read device errors here (empty: nowhere)").show_default();
  command.add_option("--management-library", options.management_library, "The vendor's device library, by path");
}

void add_annotation_options(Command command, agent::AnnotationOptions& options) {
  const Flag wanted =
      command.add_flag("--annotate", options.wanted, "Receive annotations from programs: step, epoch ...");
  command
      .add_option("--annotate-socket-gid", options.group,
                  "Let members of this group use it too (default: only its owner)")
      .type_name("GID");
  command
      .add_option("--annotate-socket", options.socket,
                  "The socket (default: /run/ingero/annotate.sock, else ~/.ingero/annotate/annotate.sock)")
      .type_name("FILE");
  command.all_need("annotate-", wanted);
}

void add_inference_options(Command command, agent::InferenceOptions& options) {
  const std::string group = "Inference";
  const auto option = [&](const char* name, auto& value, const char* help) {
    return command.add_option(name, value, help).group(group).show_default();
  };
  command
      .add_flag("--inference", options.wanted,
                "Report slow steps of inference; read the metrics of vLLM, TGI, SGLang and Triton")
      .group(group);
  option("--inference-warmup", options.warmup, "Healthy steps of a workload before any is called slow")
      .range(1, 100'000);
  option("--inference-outlier-ratio", options.slow_ratio,
         "The slowest class begins at this many times the workload's 95th percentile")
      .range(1.0, 1000.0);
  option("--inference-phase-classifier", options.phase_classifier,
         "rule: distinguish phases; off: one phase for all steps")
      .one_of({"rule", "off"});
  option("--inference-phase-decode-max-launches", options.phases.decode_max_launches,
         "Classify as decode below this many launches");
  option("--inference-phase-decode-max-memcpy", options.decode_max_copied,
         "Classify as decode only below this many copied bytes")
      .size();
  option("--inference-phase-prefill-min-launches", options.phases.prefill_min_launches,
         "Classify as prefill above this many launches");
  option("--inference-phase-prefill-min-avg-kernel", options.prefill_min_mean,
         "Also classify as prefill from this mean time per launch")
      .duration();
  option("--inference-phase-mixed-memcpy", options.mixed_copied, "Classify as mixed from this many copied bytes")
      .size();
  option("--inference-phase-mixed-launch-low", options.phases.mixed_low_launches,
         "Also classify as mixed from this many launches");
  option("--inference-phase-mixed-launch-high", options.phases.mixed_high_launches, "... up to this many launches");
  command
      .add_flag("--inference-fingerprint-key", options.by_functions,
                "Treat steps that launch different functions as different workloads")
      .group(group);
  option("--inference-scrape", options.scrape, "auto: read the metrics of model servers that are found; off: do not")
      .one_of({"auto", "off"});
  option("--inference-scrape-interval", options.scrape_interval, "Read them this often").duration();
  option("--inference-scrape-redetect-interval", options.scrape_redetect, "Look for model servers this often")
      .duration();
  option("--inference-scrape-host", options.scrape_host, "Read them at this address of this machine");
}

Flag add_cluster_options(Command command, fleet::send::Settings& options, const char* usual_node) {
  const std::string group = "Cluster";
  const auto option = [&](const char* name, std::string& value, const char* type, const char* help) {
    return command.add_option(name, value, help).type_name(type).group(group);
  };
  const Flag endpoint =
      option("--fleet-endpoint", options.endpoint, "URL", "Send what each rank did to 'ingero fleet serve' there");
  option("--fleet-cluster-id", options.cluster, "NAME", "The cluster that this machine is in");
  const std::string node = fmt::format("This machine's name there (default: {})", usual_node);
  option("--fleet-node-id", options.node, "NAME", node.c_str());
  option("--fleet-job-id", options.job, "NAME",
         "The job of all ranks here (default: Slurm's, or as torchrun, MPI or MASTER_ADDR and _PORT name it)");
  option("--fleet-token-file", options.token_file, "FILE",
         "The server's bearer token, read from FILE (or from INGERO_FLEET_TOKEN)");
  option("--fleet-threshold-url", options.threshold_url, "URL", "Where answers have no threshold, ask for it there");
  option("--fleet-timeout", options.timeout, "", "Of one request").duration().show_default();
  option("--fleet-tls-ca", options.authorities, "FILE", "CA certificates to verify the server with (PEM)");
  option("--fleet-tls-cert", options.certificate, "FILE", "Client certificate (PEM)");
  option("--fleet-tls-key", options.key, "FILE", "Its key (PEM), readable by its owner only");
  command
      .add_flag("--fleet-insecure", options.is_plain,
                "Send unencrypted to other machines too: anyone on the path can read the token and the data")
      .group(group);
  command.all_need("fleet-", endpoint);
  return endpoint;
}

void group_trace_flags(Command command) {
  command.group_flags("What is traced",
                      {"pid", "user", "run-as", "cgroup", "library", "backend", "no-io", "no-tcp", "no-net"});
  command.group_flags("Recording", {"record", "store", "sample-every", "db", "keep-secrets", "max-db", "node"});
  command.group_flags("How it is traced", {"stack", "ringbuf-size", "attach", "hang-after"});
  command.group_flags("Prometheus", {"prometheus"});
  command.group_flags("OpenTelemetry", {"otlp"});
  command.group_flags("Devices, fabric and kernel log",
                      {"rdma", "device", "sysfs", "kernel-log", "management-library"});
  command.group_flags("Annotations", {"annotate"});
  command.rare_flags(
      "prometheus- otlp- annotate- inference- fleet-cluster cluster fleet-node fleet-job fleet-t fleet-insecure rdma "
      "device-interval sysfs kernel-log management-library library backend no- log verbose record-all store "
      "sample-every db-group keep-secrets max-db node ringbuf-size attach hang-after");
}

}  // namespace ingero::cli
