// The tables. A counter's sense is what its driver's source, or its vendor's documentation, says that it counts; each
// table names both. "Linux" paths are of the kernel's tree.
#include "backends/rdma/counter_meanings.h"

#include <algorithm>
#include <optional>
#include <span>

namespace ingero::backends::rdma {
namespace {

using Sense = hal::CounterSense;

struct CounterRow {
  std::string_view name;
  Sense sense;
  std::string_view sentence;
};

// clang-format off

// counters/ of any driver: IBA 1.4 vol. 1, 16.1.3.5 (PortCounters) and 16.1.4 (extended), as listed in Linux
// Documentation/ABI/stable/sysfs-class-infiniband. port_xmit_wait counts ticks of a length that the device chooses, and
// VL15_dropped what subnet managers send again by themselves: neither says that something is wrong.
constexpr CounterRow kPort[] = {
    {"VL15_dropped", Sense::kUnknown, "Management packets lost for lack of resources."},
    {"excessive_buffer_overrun_errors", Sense::kLinkFault, "Buffer overruns in consecutive flow-control periods."},
    {"link_downed", Sense::kLinkDown, "Times the link failed to recover and went down."},
    {"link_error_recovery", Sense::kLinkFault, "Times the link retrained successfully."},
    {"local_link_integrity_errors", Sense::kLinkFault, "Times local physical errors passed their threshold."},
    {"multicast_rcv_packets", Sense::kTraffic, "Multicast packets received."},
    {"multicast_xmit_packets", Sense::kTraffic, "Multicast packets sent."},
    {"port_rcv_constraint_errors", Sense::kRefused, "Packets received and dropped by a partition or raw filter rule."},
    {"port_rcv_data", Sense::kTraffic, "Data received on all lanes."},
    {"port_rcv_discards", Sense::kLoss, "Packets received and dropped."},
    {"port_rcv_errors", Sense::kLinkFault, "Packets received with an error: malformed, wrong checksum, buffer overrun."},
    {"port_rcv_packets", Sense::kPackets, "Packets received on all lanes, those with errors included."},
    {"port_rcv_remote_physical_errors", Sense::kLinkFault, "Packets received that an upstream hop had marked as bad."},
    {"port_rcv_switch_relay_errors", Sense::kRefused, "Packets that a switch could not forward."},
    {"port_xmit_constraint_errors", Sense::kRefused, "Packets not sent because of a partition or raw filter rule."},
    {"port_xmit_data", Sense::kTraffic, "Data sent on all lanes."},
    {"port_xmit_discards", Sense::kLoss, "Outbound packets dropped because the port is down or congested."},
    {"port_xmit_packets", Sense::kPackets, "Packets sent on all lanes."},
    {"port_xmit_wait", Sense::kUnknown, "Ticks in which data was ready but nothing could be sent: congestion or no credits."},
    {"symbol_error", Sense::kLinkFault, "Minor link errors on a lane."},
    {"unicast_rcv_packets", Sense::kTraffic, "Unicast packets received."},
    {"unicast_xmit_packets", Sense::kTraffic, "Unicast packets sent."},
};

// Soft-RoCE. Names: Linux drivers/infiniband/sw/rxe/rxe_hw_counters.c; where each grows: rxe_comp.c, rxe_resp.c,
// rxe_req.c, rxe_net.c. ack_deferred (COMPLETER_SCHED) grows each time the completer is left to its task, as healthy
// acknowledgements are. Older kernels spell it ack_deffered, and out_of_seq_request as out_of_sequence.
constexpr CounterRow kRxe[] = {
    {"ack_deferred", Sense::kTraffic, "Acknowledgements handled by the completer's own task."},
    {"ack_deffered", Sense::kTraffic, "Acknowledgements handled by the completer's own task."},
    {"completer_retry_err", Sense::kLoss, "Times requests were sent again, after a timer ran out or the peer asked for it."},
    {"duplicate_request", Sense::kLoss, "Requests already executed that were seen again."},
    {"link_downed", Sense::kLinkDown, "Times the link went down."},
    {"out_of_seq_request", Sense::kLoss, "Requests received out of order: one before them is missing."},
    {"out_of_sequence", Sense::kLoss, "Requests received out of order: one before them is missing."},
    {"rcvd_pkts", Sense::kPackets, "Packets received."},
    {"rcvd_rnr_err", Sense::kNotReady, "Receiver-not-ready NAKs received."},
    {"rcvd_seq_err", Sense::kLoss, "Sequence-error NAKs received: the peer misses a request."},
    {"rdma_recvs", Sense::kTraffic, "Receives completed."},
    {"rdma_sends", Sense::kTraffic, "Sends posted."},
    {"retry_exceeded_err", Sense::kGaveUp, "Times a queue pair gave up after its retry limit."},
    {"retry_rnr_exceeded_err", Sense::kGaveUp, "Times a queue pair gave up because the receiver was never ready."},
    {"send_err", Sense::kLoss, "Packets that could not be handed to the network interface."},
    {"send_rnr_err", Sense::kNotReady, "Receiver-not-ready NAKs sent."},
    {"sent_pkts", Sense::kPackets, "Packets sent."},
};

// Names: Linux drivers/infiniband/hw/mlx5/counters.c. Meanings: NVIDIA, "Understanding mlx5 Linux Counters and Status
// Parameters". Flushed completions are how every queue pair with posted work ends; the *_cqe_error counters hold them,
// too. vport_NAME is NAME of a virtual function.
constexpr CounterRow kMlx5[] = {
    {"cc_rx_ce_pkts", Sense::kCongestion, "Packets received with a congestion mark."},
    {"cc_rx_cnp_pkts", Sense::kCongestion, "Congestion notifications received."},
    {"cc_tx_cnp_pkts", Sense::kCongestion, "Congestion notifications sent."},
    {"duplicate_request", Sense::kLoss, "Requests already executed that were seen again."},
    {"implied_nak_seq_err", Sense::kLoss, "Acknowledgements that carried a sequence number beyond the expected response."},
    {"local_ack_timeout_err", Sense::kLoss, "Times the sender's acknowledgement timer ran out."},
    {"np_cnp_sent", Sense::kCongestion, "Congestion notifications this side sent."},
    {"np_ecn_marked_roce_packets", Sense::kCongestion, "Packets received with a congestion mark."},
    {"out_of_buffer", Sense::kNotReady, "Packets dropped for lack of a receive work entry."},
    {"out_of_sequence", Sense::kLoss, "Packets received out of order."},
    {"packet_seq_err", Sense::kLoss, "Sequence-error NAKs received below the retry limit."},
    {"rdma_rx_bytes", Sense::kTraffic, "Bytes received."},
    {"rdma_rx_packets", Sense::kTraffic, "Packets received."},
    {"rdma_tx_bytes", Sense::kTraffic, "Bytes sent."},
    {"rdma_tx_packets", Sense::kTraffic, "Packets sent."},
    {"req_cqe_error", Sense::kTraffic, "Requester completions with an error, flushed ones included."},
    {"req_cqe_flush_error", Sense::kTraffic, "Requester completions that were flushed."},
    {"req_remote_access_errors", Sense::kRefused, "Requests that the other side refused for lack of access rights."},
    {"req_remote_invalid_request", Sense::kRefused, "Requests that the other side called invalid."},
    {"req_rnr_retries_exceeded", Sense::kGaveUp, "Times a queue pair gave up because the receiver was never ready."},
    {"req_transport_retries_exceeded", Sense::kGaveUp, "Times a queue pair gave up after its transport retry limit: a broken connection."},
    {"resp_cqe_error", Sense::kTraffic, "Responder completions with an error, flushed ones included."},
    {"resp_cqe_flush_error", Sense::kTraffic, "Responder completions that were flushed."},
    {"resp_local_length_error", Sense::kRefused, "Responder completions with a length error."},
    {"resp_remote_access_errors", Sense::kRefused, "Responder completions with an access error."},
    {"rnr_nak_retry_err", Sense::kNotReady, "Receiver-not-ready NAKs received below the retry limit."},
    {"roce_adp_retrans", Sense::kLoss, "Adaptive retransmissions."},
    {"roce_adp_retrans_to", Sense::kLoss, "Adaptive retransmissions after a timeout."},
    {"roce_slow_restart", Sense::kCongestion, "Slow restarts."},
    {"roce_slow_restart_cnps", Sense::kCongestion, "Congestion notifications generated by slow restarts."},
    {"roce_slow_restart_trans", Sense::kCongestion, "Times the state changed to slow restart."},
    {"rp_cnp_handled", Sense::kCongestion, "Congestion notifications received and obeyed."},
    {"rp_cnp_ignored", Sense::kCongestion, "Congestion notifications received and ignored."},
    {"rx_atomic_requests", Sense::kTraffic, "Atomic requests received."},
    {"rx_dct_connect", Sense::kTraffic, "Connection requests received on dynamic targets."},
    {"rx_icrc_encapsulated", Sense::kLinkFault, "Packets received with a bad invariant checksum."},
    {"rx_read_requests", Sense::kTraffic, "Read requests received."},
    {"rx_write_requests", Sense::kTraffic, "Write requests received."},
};

// Names: Linux drivers/infiniband/hw/mlx4/main.c (diag_basic, diag_ext, diag_device_only). Meanings: NVIDIA WinOF,
// "Adapter Diagnostics Counters". Flushed work (wrfe) is how queue pairs end.
constexpr CounterRow kMlx4[] = {
    {"num_cqovf", Sense::kRefused, "Completion queue overflows."},
    {"rq_num_dup", Sense::kLoss, "Requests already executed that were seen again."},
    {"rq_num_lle", Sense::kRefused, "Local length errors of the responder."},
    {"rq_num_lpe", Sense::kRefused, "Local protection errors of the responder."},
    {"rq_num_lqpoe", Sense::kRefused, "Local queue pair operation errors of the responder."},
    {"rq_num_oos", Sense::kLoss, "Packets received out of order."},
    {"rq_num_rae", Sense::kRefused, "Requests received with a wrong key."},
    {"rq_num_rire", Sense::kRefused, "Invalid requests received."},
    {"rq_num_rnr", Sense::kNotReady, "Receiver-not-ready NAKs sent."},
    {"rq_num_udsdprd", Sense::kNotReady, "Datagrams dropped for lack of a receive work entry."},
    {"rq_num_wrfe", Sense::kTraffic, "Responder completions that were flushed."},
    {"sq_num_bre", Sense::kRefused, "Bad responses received."},
    {"sq_num_lle", Sense::kRefused, "Local length errors of the requester."},
    {"sq_num_lpe", Sense::kRefused, "Local protection errors of the requester."},
    {"sq_num_lqpoe", Sense::kRefused, "Local queue pair operation errors of the requester."},
    {"sq_num_mwbe", Sense::kRefused, "Memory windows that could not be bound."},
    {"sq_num_oos", Sense::kLoss, "Sequence-error NAKs received."},
    {"sq_num_rae", Sense::kRefused, "Requests that the other side refused for lack of access rights."},
    {"sq_num_rire", Sense::kRefused, "Requests that the other side called invalid."},
    {"sq_num_rnr", Sense::kNotReady, "Receiver-not-ready NAKs received."},
    {"sq_num_roe", Sense::kRefused, "Requests whose execution failed at the other side."},
    {"sq_num_rree", Sense::kGaveUp, "Times a queue pair gave up because the receiver was never ready."},
    {"sq_num_to", Sense::kLoss, "Times the sender's acknowledgement timer ran out."},
    {"sq_num_tree", Sense::kGaveUp, "Times a queue pair gave up after its transport retry limit."},
    {"sq_num_wrfe", Sense::kTraffic, "Requester completions that were flushed."},
};

// Names: Linux drivers/infiniband/hw/bnxt_re/hw_counters.c, which fills recoverable_errors with broadcast packets sent.
// Meanings: the driver's README, "BNXT_RE Driver Statistics".
constexpr CounterRow kBnxt[] = {
    {"active_ahs", Sense::kLevel, "Address handles there are now."},
    {"active_cqs", Sense::kLevel, "Completion queues there are now."},
    {"active_mrs", Sense::kLevel, "Memory regions there are now."},
    {"active_mws", Sense::kLevel, "Memory windows there are now."},
    {"active_pds", Sense::kLevel, "Protection domains there are now."},
    {"active_qps", Sense::kLevel, "Queue pairs there are now."},
    {"active_srqs", Sense::kLevel, "Shared receive queues there are now."},
    {"bad_resp_err", Sense::kRefused, "Bad responses received."},
    {"dup_req", Sense::kLoss, "Duplicate requests received."},
    {"local_protection_err", Sense::kRefused, "Local protection errors."},
    {"local_qp_op_err", Sense::kRefused, "Local queue pair operation errors."},
    {"max_retry_exceeded", Sense::kGaveUp, "Times a queue pair gave up after its retry limit."},
    {"mem_mgmt_op_err", Sense::kRefused, "Memory management operations that failed."},
    {"missing_resp", Sense::kLoss, "Responses that did not come."},
    {"oos_drop_count", Sense::kLoss, "Packets dropped because they were out of order."},
    {"recoverable_errors", Sense::kTraffic, "Broadcast packets sent, in spite of its name."},
    {"remote_access_err", Sense::kRefused, "Requests that the other side refused for lack of access rights."},
    {"remote_invalid_req_err", Sense::kRefused, "Requests that the other side called invalid."},
    {"remote_op_err", Sense::kRefused, "Requests whose execution failed at the other side."},
    {"res_cmp_err", Sense::kRefused, "Responder: completion errors."},
    {"res_cq_load_err", Sense::kRefused, "Responder: a completion queue could not be loaded."},
    {"res_exceed_max", Sense::kRefused, "Responder: a message was longer than allowed."},
    {"res_exceeds_wqe", Sense::kRefused, "Responder: a message was longer than its receive buffer."},
    {"res_invalid_dup_rkey", Sense::kRefused, "Responder: a duplicate request with another key."},
    {"res_irrq_oflow", Sense::kRefused, "Responder: more reads and atomics than agreed."},
    {"res_length_mismatch", Sense::kRefused, "Responder: the length of a write did not match."},
    {"res_mem_err", Sense::kRefused, "Responder: memory errors."},
    {"res_opcode_err", Sense::kRefused, "Responder: a wrong operation."},
    {"res_rem_inv_err", Sense::kRefused, "Responder: a remote invalidation failed."},
    {"res_rx_domain_err", Sense::kRefused, "Responder: a key of another protection domain."},
    {"res_rx_invalid_rkey", Sense::kRefused, "Responder: an invalid key."},
    {"res_rx_no_perm", Sense::kRefused, "Responder: no access right."},
    {"res_rx_pci_err", Sense::kRefused, "Responder: PCI errors while receiving."},
    {"res_rx_range_err", Sense::kRefused, "Responder: an address outside its region."},
    {"res_srq_err", Sense::kRefused, "Responder: errors of a shared receive queue."},
    {"res_srq_load_err", Sense::kRefused, "Responder: a shared receive queue could not be loaded."},
    {"res_tx_domain_err", Sense::kRefused, "Responder: a key of another protection domain, in a read."},
    {"res_tx_invalid_rkey", Sense::kRefused, "Responder: an invalid key, in a read."},
    {"res_tx_no_perm", Sense::kRefused, "Responder: no access right, in a read."},
    {"res_tx_pci_err", Sense::kRefused, "Responder: PCI errors while sending."},
    {"res_tx_range_err", Sense::kRefused, "Responder: an address outside its region, in a read."},
    {"res_unaligned_atomic", Sense::kRefused, "Responder: an atomic at an unaligned address."},
    {"res_unsup_opcode", Sense::kRefused, "Responder: an operation that is not supported."},
    {"res_wqe_format_err", Sense::kRefused, "Responder: a malformed work entry."},
    {"rnr_naks_rcvd", Sense::kNotReady, "Receiver-not-ready NAKs received."},
    {"rx_atomic_req", Sense::kTraffic, "Atomic requests received."},
    {"rx_bytes", Sense::kTraffic, "Bytes received."},
    {"rx_out_of_buffer", Sense::kNotReady, "Packets dropped for lack of a receive work entry."},
    {"rx_pkts", Sense::kPackets, "Packets received."},
    {"rx_read_req", Sense::kTraffic, "Read requests received."},
    {"rx_read_resp", Sense::kTraffic, "Read responses received."},
    {"rx_roce_discards", Sense::kLoss, "Packets received and dropped."},
    {"rx_roce_errors", Sense::kLinkFault, "Packets received with an error."},
    {"rx_roce_good_bytes", Sense::kTraffic, "Bytes received without an error."},
    {"rx_roce_good_pkts", Sense::kTraffic, "Packets received without an error."},
    {"rx_send_req", Sense::kTraffic, "Send requests received."},
    {"rx_write_req", Sense::kTraffic, "Write requests received."},
    {"seq_err_naks_rcvd", Sense::kLoss, "Sequence-error NAKs received."},
    {"to_retransmits", Sense::kLoss, "Retransmissions after a timeout."},
    {"tx_atomic_req", Sense::kTraffic, "Atomic requests sent."},
    {"tx_bytes", Sense::kTraffic, "Bytes sent."},
    {"tx_pkts", Sense::kPackets, "Packets sent."},
    {"tx_read_req", Sense::kTraffic, "Read requests sent."},
    {"tx_read_resp", Sense::kTraffic, "Read responses sent."},
    {"tx_send_req", Sense::kTraffic, "Send requests sent."},
    {"tx_write_req", Sense::kTraffic, "Write requests sent."},
    {"unrecoverable_err", Sense::kGaveUp, "Errors that ended a queue pair."},
};

// Names: Linux drivers/infiniband/hw/efa/efa_verbs.c. Meanings: AWS, "Monitor an Elastic Fabric Adapter".
constexpr CounterRow kEfa[] = {
    {"alloc_pd_err", Sense::kRefused, "Protection domains that could not be allocated."},
    {"alloc_ucontext_err", Sense::kRefused, "Contexts that could not be allocated."},
    {"cmds_err", Sense::kRefused, "Commands to the device that failed."},
    {"completed_cmds", Sense::kTraffic, "Commands the device completed."},
    {"create_ah_err", Sense::kRefused, "Address handles that could not be created."},
    {"create_cq_err", Sense::kRefused, "Completion queues that could not be created."},
    {"create_qp_err", Sense::kRefused, "Queue pairs that could not be created."},
    {"impaired_remote_conn_events", Sense::kLoss, "Times a connection became impaired: its rate was reduced."},
    {"keep_alive_rcvd", Sense::kTraffic, "Signs of life from the device."},
    {"mmap_err", Sense::kRefused, "Mappings that failed."},
    {"no_completion_cmds", Sense::kRefused, "Commands without a completion."},
    {"rdma_read_bytes", Sense::kTraffic, "Bytes of RDMA reads."},
    {"rdma_read_resp_bytes", Sense::kTraffic, "Bytes sent in answer to RDMA reads."},
    {"rdma_read_wr_err", Sense::kRefused, "RDMA reads that ended with an error."},
    {"rdma_read_wrs", Sense::kTraffic, "RDMA reads completed."},
    {"rdma_write_bytes", Sense::kTraffic, "Bytes of RDMA writes."},
    {"rdma_write_recv_bytes", Sense::kTraffic, "Bytes received by RDMA writes."},
    {"rdma_write_wr_err", Sense::kRefused, "RDMA writes that ended with an error."},
    {"rdma_write_wrs", Sense::kTraffic, "RDMA writes completed."},
    {"recv_bytes", Sense::kTraffic, "Bytes received by receive work requests."},
    {"recv_wrs", Sense::kTraffic, "Receives completed."},
    {"reg_mr_err", Sense::kRefused, "Memory regions that could not be registered."},
    {"retrans_bytes", Sense::kTraffic, "Bytes sent again; retrans_pkts counts the packets."},
    {"retrans_pkts", Sense::kLoss, "Packets sent again."},
    {"retrans_timeout_events", Sense::kLoss, "Times a retransmission timer ran out."},
    {"rx_bytes", Sense::kTraffic, "Bytes received."},
    {"rx_drops", Sense::kLoss, "Packets received and dropped."},
    {"rx_pkts", Sense::kPackets, "Packets received."},
    {"send_bytes", Sense::kTraffic, "Bytes sent by send work requests."},
    {"send_wrs", Sense::kTraffic, "Sends completed."},
    {"submitted_cmds", Sense::kTraffic, "Commands given to the device."},
    {"tx_bytes", Sense::kTraffic, "Bytes sent."},
    {"tx_pkts", Sense::kPackets, "Packets sent."},
    {"unresponsive_remote_events", Sense::kGaveUp, "Times the other side did not respond any more."},
};

// Names: Linux drivers/infiniband/hw/irdma/verbs.c (irdma_hw_stat_names), in their spellings before and since 6.3 and
// those of the third generation. What the limit counters count is not documented: they are left out.
constexpr CounterRow kIrdma[] = {
    {"CRC errors", Sense::kLinkFault, "Packets received with a bad checksum."},
    {"InOptErrors", Sense::kRefused, "TCP segments received with bad options."},
    {"InProtoErrors", Sense::kRefused, "TCP segments received that break the protocol."},
    {"Nak Sequence Error", Sense::kLoss, "Sequence-error NAKs received."},
    {"Nak Sequence Error Implied", Sense::kLoss, "Acknowledgements that carried a sequence number beyond the expected one."},
    {"RNR received", Sense::kNotReady, "Receiver-not-ready NAKs received."},
    {"RNR sent", Sense::kNotReady, "Receiver-not-ready NAKs sent."},
    {"RTO", Sense::kLoss, "Times a retransmission timer ran out."},
    {"Rcvd Out of order packets", Sense::kLoss, "Packets received out of order."},
    {"RetransSegs", Sense::kLoss, "TCP segments sent again."},
    {"RxECNMrkd", Sense::kCongestion, "Packets received with a congestion mark."},
    {"RxUDP", Sense::kPackets, "UDP packets received."},
    {"TxUDP", Sense::kPackets, "UDP packets sent."},
    {"cnpHandled", Sense::kCongestion, "Congestion notifications received and obeyed."},
    {"cnpIgnored", Sense::kCongestion, "Congestion notifications received and ignored."},
    {"cnpSent", Sense::kCongestion, "Congestion notifications this side sent."},
    {"ip4InDiscards", Sense::kLoss, "IPv4 packets received and dropped."},
    {"ip4InTruncatedPkts", Sense::kLinkFault, "IPv4 packets received that were cut short."},
    {"ip4OutNoRoutes", Sense::kRefused, "IPv4 packets that had no route."},
    {"ip6InDiscards", Sense::kLoss, "IPv6 packets received and dropped."},
    {"ip6InTruncatedPkts", Sense::kLinkFault, "IPv6 packets received that were cut short."},
    {"ip6OutNoRoutes", Sense::kRefused, "IPv6 packets that had no route."},
    {"tcpInOptErrors", Sense::kRefused, "TCP segments received with bad options."},
    {"tcpInProtoErrors", Sense::kRefused, "TCP segments received that break the protocol."},
    {"tcpRetransSegs", Sense::kLoss, "TCP segments sent again."},
};

// Names: Linux drivers/infiniband/hw/hns/hns_roce_main.c (hns_roce_port_stats_descs, since 6.7).
constexpr CounterRow kHns[] = {
    {"rx_cnp_pkt", Sense::kCongestion, "Congestion notifications received."},
    {"rx_err_pkt", Sense::kLinkFault, "Packets received with an error."},
    {"rx_pkt", Sense::kPackets, "Packets received."},
    {"tx_cnp_pkt", Sense::kCongestion, "Congestion notifications sent."},
    {"tx_err_pkt", Sense::kLinkFault, "Packets sent with an error."},
    {"tx_pkt", Sense::kPackets, "Packets sent."},
};
// clang-format on

struct Table {
  std::span<const std::string_view> drivers;  // as the device behind the adapter names them
  std::span<const CounterRow> rows;
  std::string_view prefix = {};  // of a second set of the same counters
};
constexpr std::string_view kRxeDrivers[] = {"rdma_rxe"};
constexpr std::string_view kMlx5Drivers[] = {"mlx5_core"};
constexpr std::string_view kMlx4Drivers[] = {"mlx4_core"};
constexpr std::string_view kBnxtDrivers[] = {"bnxt_en"};
constexpr std::string_view kEfaDrivers[] = {"efa"};
constexpr std::string_view kIrdmaDrivers[] = {"ice", "i40e", "idpf"};
constexpr std::string_view kHnsDrivers[] = {"hns3", "hns_roce_hw_v2"};
constexpr Table kTables[] = {
    {kRxeDrivers, kRxe}, {kMlx5Drivers, kMlx5, "vport_"}, {kMlx4Drivers, kMlx4}, {kBnxtDrivers, kBnxt},
    {kEfaDrivers, kEfa}, {kIrdmaDrivers, kIrdma},         {kHnsDrivers, kHns},
};

constexpr bool by_name(const CounterRow& a, const CounterRow& b) { return a.name < b.name; }
constexpr bool are_sorted() {
  for (const Table& table : kTables) {
    if (!std::is_sorted(table.rows.begin(), table.rows.end(), by_name)) return false;
  }
  return std::is_sorted(std::begin(kPort), std::end(kPort), by_name);
}
static_assert(are_sorted());

const CounterRow* find(std::span<const CounterRow> rows, std::string_view name) {
  const auto at = std::lower_bound(rows.begin(), rows.end(), CounterRow{name, {}, {}}, by_name);
  return at != rows.end() && at->name == name ? &*at : nullptr;
}

const CounterRow* find(const Table& table, std::string_view name) {
  if (!table.prefix.empty() && name.starts_with(table.prefix)) name.remove_prefix(table.prefix.size());
  return find(table.rows, name);
}

}  // namespace

hal::CounterMeaning meaning_of(std::string_view driver, hal::CounterOrigin origin, std::string_view name) {
  const CounterRow* found = nullptr;
  if (origin == hal::CounterOrigin::kPort) {
    found = find(kPort, name);
    return found == nullptr ? hal::CounterMeaning{} : hal::CounterMeaning{found->sense, found->sentence};
  }
  for (const Table& table : kTables) {
    if (!driver.empty() && std::find(table.drivers.begin(), table.drivers.end(), driver) == table.drivers.end()) {
      continue;
    }
    const CounterRow* row = find(table, name);
    if (row == nullptr) continue;
    if (found != nullptr && found->sense != row->sense) return {};
    if (found == nullptr) found = row;
  }
  return found == nullptr ? hal::CounterMeaning{} : hal::CounterMeaning{found->sense, found->sentence};
}

}  // namespace ingero::backends::rdma
