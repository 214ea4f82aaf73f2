// Attributes by which senders say who they are, in the order in which they are believed: ours, those of the legacy
// agent, and OpenTelemetry's own. The only place that spells them.
//
// Constant data; any thread.
#pragma once

#include <span>
#include <string_view>

namespace ingero::fleet::wire {

using Names = std::span<const std::string_view>;

inline constexpr std::string_view kNodeNames[] = {
    "ingero.node.id", "ingero.node_id",      "node.id",     "node_id", "host.name",
    "host.id",        "service.instance.id", "service.name"};
inline constexpr std::string_view kClusterNames[] = {"ingero.cluster.id", "ingero.cluster_id", "cluster.id",
                                                     "cluster_id"};
inline constexpr std::string_view kRankNames[] = {"ingero.rank", "nccl.rank", "ingero.node.rank"};
inline constexpr std::string_view kRanksNames[] = {"nccl.nranks", "ingero.world_size"};
inline constexpr std::string_view kInstanceNames[] = {"service.instance.id"};
inline constexpr std::string_view kClockOffset[] = {"ingero.clock.offset_ns"};
inline constexpr std::string_view kClockWithin[] = {"ingero.clock.within_ns"};
inline constexpr std::string_view kJobNames[] = {"ingero.job.id"};
// Of a rank's windows, which only our own senders have.
inline constexpr std::string_view kWindowRank[] = {"ingero.rank"};
inline constexpr std::string_view kCommunicatorRank[] = {"gpu.collective.rank"};
inline constexpr std::string_view kCommunicatorRanks[] = {"gpu.collective.nranks"};
inline constexpr std::string_view kOperation[] = {"gpu.collective.op_type"};
inline constexpr std::string_view kCollectiveBytes[] = {"gpu.collective.size"};
inline constexpr std::string_view kNumber[] = {"gpu.collective.number"};
inline constexpr std::string_view kLeft[] = {"gpu.collective.left_ns"};
inline constexpr std::string_view kLastLeft[] = {"gpu.collective.left"};
inline constexpr std::string_view kBase[] = {"gpu.collective.base"};
inline constexpr std::string_view kRecent[] = {"gpu.collective.recent"};
inline constexpr std::string_view kPid[] = {"process.pid"};
inline constexpr std::string_view kActivity[] = {"ingero.rank.activity"};
inline constexpr std::string_view kActivityCall[] = {"ingero.rank.call"};
inline constexpr std::string_view kActivitySince[] = {"ingero.rank.since_ns"};
inline constexpr std::string_view kActivityLine[] = {"ingero.rank.line"};
inline constexpr std::string_view kStack[] = {"code.stacktrace"};
inline constexpr std::string_view kDeviceId[] = {"hw.id"};
inline constexpr std::string_view kDeviceModel[] = {"hw.model"};
inline constexpr std::string_view kReason[] = {"reason"};
inline constexpr std::string_view kState[] = {"state"};
// Of a rank's device, with `ingero.rank` and a start: a part of its window.
inline constexpr std::string_view kUtilizationMetric = "hw.gpu.utilization", kPowerMetric = "hw.power",
                                  kTemperatureMetric = "hw.temperature", kClockMetric = "gpu.clock.sm",
                                  kThrottleMetric = "gpu.throttle.reasons";
// What a node says of itself: these are the names of the legacy agent.
inline constexpr std::string_view kScoreMetric = "ingero.node.health_score",
                                  kStragglerMetric = "ingero.node.straggler_event",
                                  kDetectionMetric = "ingero.agent.detection_mode", kNodeState = "ingero.node.state",
                                  kDetectionMode = "ingero.detection_mode", kEventId = "ingero.event.id",
                                  kThreshold = "threshold", kScore = "score", kSignal = "dominant_signal";
// Of a collective's operation, in the points of any sender.
inline constexpr std::string_view kOperationNames[] = {"gpu.collective.op_type", "nccl.op_type", "op_type",
                                                       "operation"};

}  // namespace ingero::fleet::wire
