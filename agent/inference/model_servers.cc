// Recognises model servers by their command line, and maps their metrics to ours.
#include "agent/inference/model_servers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/text.h"
#include "serve/metrics/metric_names.h"
#include "serve/prometheus/exposition.h"

namespace ingero::agent {
namespace {

namespace metrics = serve::metrics;
using serve::prometheus::Sample;

constexpr size_t kMaxArguments = 1024;
constexpr size_t kMaxModelBytes = 256;

struct Program {
  std::string_view name;
  uint16_t port;
  std::array<std::string_view, 2> port_flags;
  std::array<std::string_view, 2> model_flags;
};
constexpr Program kPrograms[] = {
    {"vllm", 8000, {"--port", ""}, {"--served-model-name", "--model"}},
    {"tgi", 8080, {"--port", "-p"}, {"--model-id", ""}},
    {"sglang", 30000, {"--port", ""}, {"--served-model-name", "--model-path"}},
    {"triton", 8002, {"--metrics-port", ""}, {"", ""}},  // its other ports show no metrics
};

constexpr auto kHistogram = ModelServerForm::kHistogram;
constexpr auto kCounter = ModelServerForm::kCounter;
constexpr auto kGauge = ModelServerForm::kGauge;
// clang-format off
constexpr ModelServerRow kRows[] = {
    {"vllm", "vllm:time_to_first_token_seconds", "gen_ai.client.operation.time_to_first_token", "s", kHistogram, 1, false, &metrics::kFirstToken},
    {"vllm", "vllm:inter_token_latency_seconds", "gen_ai.server.time_per_output_token", "s", kHistogram, 1, false, &metrics::kTokenTime},
    {"vllm", "vllm:e2e_request_latency_seconds", "gen_ai.client.operation.duration", "s", kHistogram, 1, false, &metrics::kRequestDuration},
    {"vllm", "vllm:request_prefill_time_seconds", "gen_ai.server.request.duration.prefill", "s", kHistogram, 1, false, &metrics::kPrefillDuration},
    {"vllm", "vllm:request_decode_time_seconds", "gen_ai.server.request.duration.decode", "s", kHistogram, 1, false, &metrics::kDecodeDuration},
    {"vllm", "vllm:prompt_tokens_total", "gen_ai.client.token.usage.input", "{token}", kCounter, 1, false, &metrics::kInputTokens},
    {"vllm", "vllm:generation_tokens_total", "gen_ai.client.token.usage.output", "{token}", kCounter, 1, false, &metrics::kOutputTokens},
    {"tgi", "tgi_request_duration", "gen_ai.client.operation.duration", "s", kHistogram, 1, false, &metrics::kRequestDuration},
    {"tgi", "tgi_request_mean_time_per_token_duration", "gen_ai.server.time_per_output_token", "s", kHistogram, 1, false, &metrics::kTokenTime},
    {"tgi", "tgi_batch_forward_duration", "gen_ai.server.request.duration.batch", "s", kHistogram, 1, false, &metrics::kBatchDuration},
    {"tgi", "tgi_request_queue_duration", "gen_ai.server.queue.duration", "s", kHistogram, 1, false, &metrics::kQueueDuration},
    {"tgi", "tgi_request_validation_duration", "gen_ai.server.validation.duration", "s", kHistogram, 1, false, &metrics::kValidationDuration},
    {"tgi", "tgi_request_input_length", "gen_ai.client.token.usage.input", "{token}", kCounter, 1, true, &metrics::kInputTokens},
    {"tgi", "tgi_request_generated_tokens", "gen_ai.client.token.usage.output", "{token}", kCounter, 1, true, &metrics::kOutputTokens},
    {"tgi", "tgi_batch_current_size", "gen_ai.server.batch.size", "{request}", kGauge, 1, false, &metrics::kEngineBatch},
    {"tgi", "tgi_queue_size", "gen_ai.server.queue.size", "{request}", kGauge, 1, false, &metrics::kEngineQueue},
    {"sglang", "sglang_time_to_first_token_seconds", "gen_ai.client.operation.time_to_first_token", "s", kHistogram, 1, false, &metrics::kFirstToken},
    {"sglang", "sglang_inter_token_latency_seconds", "gen_ai.server.time_per_output_token", "s", kHistogram, 1, false, &metrics::kTokenTime},
    {"sglang", "sglang_e2e_request_latency_seconds", "gen_ai.client.operation.duration", "s", kHistogram, 1, false, &metrics::kRequestDuration},
    {"sglang", "sglang_request_latency", "gen_ai.client.operation.duration", "s", kHistogram, 1, false, &metrics::kRequestDuration},
    {"sglang", "sglang_accepted_draft_tokens_total", "gen_ai.client.speculative.accepted_tokens", "{token}", kCounter, 1, false, &metrics::kDraftsAccepted},
    {"sglang", "sglang_proposed_draft_tokens_total", "gen_ai.client.speculative.proposed_tokens", "{token}", kCounter, 1, false, &metrics::kDraftsProposed},
    {"sglang", "sglang_prompt_tokens_total", "gen_ai.client.token.usage.input", "{token}", kCounter, 1, false, &metrics::kInputTokens},
    {"sglang", "sglang_generation_tokens_total", "gen_ai.client.token.usage.output", "{token}", kCounter, 1, false, &metrics::kOutputTokens},
    {"triton", "nv_inference_request_duration_us", "gen_ai.client.operation.duration.total", "s", kCounter, 1e-6, false, &metrics::kRequestTime},
    {"triton", "nv_inference_queue_duration_us", "gen_ai.server.queue.duration.total", "s", kCounter, 1e-6, false, &metrics::kQueueTime},
    {"triton", "nv_inference_compute_input_duration_us", "gen_ai.server.compute_input.duration.total", "s", kCounter, 1e-6, false, &metrics::kInputCopyTime},
    {"triton", "nv_inference_compute_infer_duration_us", "gen_ai.server.compute_infer.duration.total", "s", kCounter, 1e-6, false, &metrics::kInferTime},
    {"triton", "nv_inference_compute_output_duration_us", "gen_ai.server.compute_output.duration.total", "s", kCounter, 1e-6, false, &metrics::kOutputCopyTime},
    {"triton", "nv_inference_request_success", "gen_ai.client.operation.success_total", "{request}", kCounter, 1, false, &metrics::kRequestsDone},
    {"triton", "nv_inference_request_failure", "gen_ai.client.operation.failure_total", "{request}", kCounter, 1, false, &metrics::kRequestsFailed},
};
// clang-format on

const Program* program_of(const std::vector<std::string_view>& arguments) {
  const auto any = [&](const auto& holds) { return std::any_of(arguments.begin(), arguments.end(), holds); };
  const auto is_program = [](std::string_view name) {
    return [name](std::string_view argument) { return file_name(argument) == name; };
  };
  const auto has_module = [](std::string_view name) {
    return [name](std::string_view argument) { return argument.starts_with(name); };
  };
  // Only what can be the program: itself, or what an interpreter was given to run.
  const std::vector<std::string_view> first(
      arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(arguments.size(), 4)));
  const auto begins = [&](const auto& holds) { return std::any_of(first.begin(), first.end(), holds); };
  if (any(has_module("vllm.entrypoints"))) return &kPrograms[0];
  if (begins(is_program("vllm")) && any([](std::string_view argument) { return argument == "serve"; })) {
    return &kPrograms[0];
  }
  if (begins(is_program("text-generation-launcher"))) return &kPrograms[1];
  if (any(has_module("sglang.launch_server"))) return &kPrograms[2];
  if (begins(is_program("tritonserver"))) return &kPrograms[3];
  return nullptr;
}

// "--flag VALUE" or "--flag=VALUE"; the last one counts, as for those programs.
std::string_view value_of(const std::vector<std::string_view>& arguments, std::string_view flag) {
  std::string_view value;
  if (flag.empty()) return value;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == flag && i + 1 < arguments.size()) value = arguments[i + 1];
    if (argument.starts_with(flag) && argument.size() > flag.size() && argument[flag.size()] == '=') {
      value = argument.substr(flag.size() + 1);
    }
  }
  return value;
}

std::string plain(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), ':', '_');
  return out;
}

class PageReader {
 public:
  explicit PageReader(std::string_view server) {
    for (const ModelServerRow& row : model_server_rows()) {
      if (row.server == server) rows_.emplace(plain(row.source), &row);
    }
  }

  void take(const Sample& sample) {
    const std::string name = plain(sample.name);
    if (const auto whole = rows_.find(name); whole != rows_.end()) {
      if (whole->second->form == ModelServerForm::kHistogram || whole->second->is_histogram_sum) return;
      add(open(*whole->second, sample).value, sample.value * whole->second->scale);
      return;
    }
    const size_t cut = name.rfind('_');
    if (cut == std::string::npos) return;
    const auto part = rows_.find(name.substr(0, cut));
    if (part == rows_.end()) return;
    const ModelServerRow& row = *part->second;
    const std::string_view what = std::string_view(name).substr(cut + 1);
    if (row.is_histogram_sum) {
      if (what == "sum") add(open(row, sample).value, sample.value * row.scale);
      return;
    }
    if (row.form != ModelServerForm::kHistogram) return;
    if (what == "sum") {
      add(open(row, sample).sum, sample.value * row.scale);
    } else if (what == "count") {
      count(open(row, sample).count, sample.value);
    } else if (what == "bucket") {
      take_bucket(row, sample);
    }
  }

  ModelServerPage finish(uint64_t refused) {
    ModelServerPage page;
    page.refused = refused + refused_;
    for (auto& [key, one] : open_) {
      // Not a histogram unless each bucket holds those below it.
      uint64_t before = 0;
      bool grows = true;
      for (const auto& [bound, total] : one.counts) {
        grows = grows && total >= before;
        before = total;
      }
      if (!grows || before > one.count) {
        one.counts.clear();
        ++page.refused;
      }
      page.readings.push_back(std::move(one));
    }
    return page;
  }

 private:
  void take_bucket(const ModelServerRow& row, const Sample& sample) {
    const std::string_view text = sample.label("le");
    if (text == "+Inf" || text == "Inf") return;  // the count
    char* end = nullptr;
    const std::string bound_text(text);
    const double bound = std::strtod(bound_text.c_str(), &end) * row.scale;
    auto& counts = open(row, sample).counts;
    if (text.empty() || *end != '\0' || !std::isfinite(bound) ||
        (counts.size() >= kMaxBounds && !counts.contains(bound))) {
      ++refused_;
      return;
    }
    count(counts[bound], sample.value);
  }
  void add(double& sum, double value) {
    if (!std::isfinite(sum + value)) {
      ++refused_;
      return;
    }
    sum += value;
  }
  void count(uint64_t& sum, double value) {
    if (!(value >= 0 && static_cast<double>(sum) + value < 9e15)) {
      ++refused_;
      return;
    }
    sum += static_cast<uint64_t>(value);
  }
  ModelServerReading& open(const ModelServerRow& row, const Sample& sample) {
    std::string model;
    for (const std::string_view label : {"model_name", "model", "model_id"}) {
      if (model.empty()) model = printable(sample.label(label), kMaxModelBytes);
    }
    if (!models_.contains(model)) {
      if (models_.size() >= kMaxModels) {
        model = metrics::kOther;
      } else {
        models_.insert(model);
      }
    }
    ModelServerReading& one = open_[{&row, model}];
    one.row = &row;
    one.model = model;
    return one;
  }

  std::map<std::string, const ModelServerRow*> rows_;
  std::map<std::pair<const ModelServerRow*, std::string>, ModelServerReading> open_;
  std::set<std::string> models_;
  uint64_t refused_ = 0;
};

}  // namespace

std::span<const ModelServerRow> model_server_rows() { return kRows; }

std::optional<ModelServer> find_model_server(std::string_view command_line) {
  std::vector<std::string_view> arguments;
  for (const std::string_view word : split(command_line, ' ')) {
    if (!word.empty() && arguments.size() < kMaxArguments) arguments.push_back(word);
  }
  const Program* program = program_of(arguments);
  if (program == nullptr) return {};
  ModelServer found;
  found.name = program->name;
  found.port = program->port;
  for (const std::string_view flag : program->port_flags) {
    const std::string_view text = value_of(arguments, flag);
    if (text.empty()) continue;
    const auto port = parse_u64(text);
    if (!port || *port == 0 || *port > 65535) return {};
    found.port = static_cast<uint16_t>(*port);
  }
  for (const std::string_view flag : program->model_flags) {
    if (found.model.empty()) found.model = printable(value_of(arguments, flag), kMaxModelBytes);
  }
  // "vllm serve MODEL"
  const auto serve = std::find(arguments.begin(), arguments.end(), std::string_view("serve"));
  if (program->name == "vllm" && found.model.empty() && serve != arguments.end() && serve + 1 != arguments.end() &&
      !(serve + 1)->starts_with('-')) {
    found.model = printable(*(serve + 1), kMaxModelBytes);
  }
  return found;
}

ModelServerPage read_model_server(std::string_view server, std::string_view untrusted_page) {
  PageReader reader(server);
  const auto counts =
      serve::prometheus::read_exposition(untrusted_page, [&](const Sample& sample) { reader.take(sample); });
  return reader.finish(counts.refused);
}

Interval between(const ModelServerReading& before, const ModelServerReading& now) {
  Interval interval;
  if (now.row == nullptr || now.row->form != ModelServerForm::kHistogram || now.count <= before.count) return interval;
  const auto observed = static_cast<double>(now.count - before.count);
  if (now.sum >= before.sum) interval.mean = (now.sum - before.sum) / observed;
  const double wanted = observed * 0.95;
  double lower = 0, below = 0;
  for (const auto& [bound, total] : now.counts) {
    const auto last = before.counts.find(bound);
    if (last == before.counts.end() || last->second > total) return interval;
    const auto here = static_cast<double>(total - last->second);
    if (here >= wanted && here > below) {
      interval.p95 = lower + (bound - lower) * (wanted - below) / (here - below);
      return interval;
    }
    lower = bound;
    below = here;
  }
  if (!now.counts.empty()) interval.p95 = lower;  // beyond the last bound: at least that
  return interval;
}

}  // namespace ingero::agent
