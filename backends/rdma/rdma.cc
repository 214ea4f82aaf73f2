// The RDMA backend: the control path of libibverbs, and the adapters in sysfs.
//
// The data path (ibv_post_send, ibv_poll_cq and their like) is inline in verbs.h and enters the provider through a
// pointer, so they have no symbol to probe. Prototypes and structure offsets: infiniband/verbs.h of rdma-core 44, whose
// public structures have been laid out so since libibverbs 1.1; exports with two versions resolve to the default one.
//
// kHandle is the object the call is about; kHandle2 of queue pair calls the queue pair's number (of the one that is
// made, too: read behind what ibv_create_qp returns), of
// ibv_get_async_event its element (a pointer; of port events the port, in the low 32 bits); kFlags the queue pair's
// state after the call, its type at creation, the access rights of a memory region, or the type of an asynchronous
// event.
#include <cerrno>
#include <cstring>

#include "backends/rdma/counter_meanings.h"
#include "backends/rdma/meanings.h"
#include "backends/rdma/sysfs_sampler.h"
#include "hal/shapes.h"

namespace ingero::backends::rdma {

using namespace hal;  // NOLINT(google-build-using-namespace): a table in the words of the model

namespace {

constexpr uint16_t kSource = 13;
constexpr std::string_view kAsyncCall = "ibv_get_async_event";

// struct ibv_qp: qp_num at 52, state at 56 (libibverbs sets it when a modification succeeded).
constexpr Peek kMadeQpNumber{Field::kHandle2, 52, 4, When::kReturn};
constexpr Peek kQpNumber[] = {{Field::kHandle2, 52, 4}};
constexpr Peek kQpNumberAndState[] = {{Field::kHandle2, 52, 4}, {Field::kFlags, 56, 4, When::kReturn}};
constexpr Param kQp{.abi = Abi::kPtr, .into = Field::kHandle, .peeks = kQpNumber};
constexpr Param kQpChanged{.abi = Abi::kPtr, .into = Field::kHandle, .peeks = kQpNumberAndState};
// struct ibv_qp_init_attr: qp_type at 52.
constexpr Peek kQpType[] = {{Field::kFlags, 52, 4}};
constexpr Param kQpInit{.abi = Abi::kPtr, .peeks = kQpType};
// struct ibv_mr_init_attr (rdma-core 59): length at 0, access at 8. What else is set, comp_mask says; an address or a
// descriptor of a dma-buf that is not asked for is whatever stood there.
constexpr Peek kRegionInit[] = {{Field::kBytes, 0, 8}, {Field::kFlags, 8, 4}};
constexpr Param kMrInit{.abi = Abi::kPtr, .peeks = kRegionInit};
// struct ibv_mr: addr at 16, length at 24.
constexpr Peek kRegion[] = {{Field::kAddress, 16, 8}, {Field::kBytes, 24, 8}};
constexpr Param kMr{.abi = Abi::kPtr, .into = Field::kHandle, .peeks = kRegion};
// struct ibv_async_event: element (pointer or int) at 0, event_type at 8.
constexpr Peek kAsyncEvent[] = {{Field::kHandle2, 0, 8, When::kReturn}, {Field::kFlags, 8, 4, When::kReturn}};
constexpr Param kAsync{.abi = Abi::kPtr, .peeks = kAsyncEvent};

constexpr Param kObject[] = {param::kHandle};
constexpr Param kQueryDevice[] = {param::kHandle, param::kSkip};
constexpr Param kModifySrq[] = {param::kHandle, param::kSkip, param::kSkip32};
constexpr Param kQueryPort[] = {param::kHandle, param::kSkip32, param::kSkip};
constexpr Param kQueryGid[] = {param::kHandle, param::kSkip32, param::kSkip32, param::kSkip};
constexpr Param kRegister[] = {param::kHandle, param::kAddress, param::kBytes, param::kFlags32};
constexpr Param kRegisterIova[] = {param::kHandle, param::kAddress, param::kBytes, param::kSkipU64, param::kFlags32};
constexpr Param kRegisterDmabuf[] = {param::kHandle,  param::kSkipU64, param::kBytes,
                                     param::kSkipU64, param::kSkip32,  param::kFlags32};
constexpr Param kRegisterEx[] = {param::kHandle, kMrInit};
constexpr Param kDeregister[] = {kMr};
constexpr Param kCreateCq[] = {param::kHandle, param::kSkip32, param::kSkip, param::kSkip, param::kSkip32};
constexpr Param kGetCqEvent[] = {param::kHandle, param::kSkip, param::kSkip};
constexpr Param kAck[] = {param::kHandle, param::kSkip32};
constexpr Param kCreateQp[] = {param::kHandle, kQpInit};
constexpr Param kModifyQp[] = {kQpChanged, param::kSkip, param::kSkip32};
constexpr Param kQueryQp[] = {kQp, param::kSkip, param::kSkip32, param::kSkip};
constexpr Param kDestroyQp[] = {kQp};
constexpr Param kQpAnd[] = {kQp, param::kSkip};
constexpr Param kCountOut[] = {param::kOutCount32};
constexpr Param kListOnly[] = {param::kSkip};
constexpr Param kImportDevice[] = {param::kSkip32};
constexpr Param kImport[] = {param::kHandle, param::kSkip32};
constexpr Param kQueryPkey[] = {param::kHandle, param::kSkip32, param::kSkip32, param::kSkip};
constexpr Param kFindPkey[] = {param::kHandle, param::kSkip32, param::kSkip32};
constexpr Param kQueryGidEntry[] = {param::kHandle, param::kSkip32,  param::kSkip32,
                                    param::kSkip,   param::kFlags32, param::kSkipSize};
constexpr Param kQueryGidTable[] = {param::kHandle, param::kSkip, param::kSkipSize, param::kFlags32, param::kSkipSize};
constexpr Param kResolveAddress[] = {param::kHandle, param::kSkip, param::kSkip, param::kSkip};
constexpr Param kAddressOfCompletion[] = {param::kHandle, param::kSkip, param::kSkip, param::kSkip32};
constexpr Param kReregister[] = {param::kHandle,  param::kSkip32, param::kHandle2,
                                 param::kAddress, param::kBytes,  param::kFlags32};
constexpr Param kRegisterBuffer[] = {param::kHandle, param::kSkip, param::kAddress, param::kBytes, param::kFlags32};
constexpr Param kAllocBuffer[] = {param::kHandle, param::kBytes, param::kSkip};
constexpr Param kResize[] = {param::kHandle, {Abi::kI32, Field::kValue}};
constexpr Param kMulticast[] = {kQp, param::kSkip, param::kSkip32};
constexpr Param kAttachCounter[] = {kQp, param::kSkip, param::kSkip};
constexpr Param kGetAsync[] = {param::kHandle, kAsync};

// clang-format off
constexpr Row kRows[] = {
    {.name = "ibv_get_device_list", .kind = Kind::kFabric, .shape = kCountOut, .returns = Returns::kPointer},
    {.name = "ibv_free_device_list", .kind = Kind::kFabric, .shape = kListOnly, .returns = Returns::kVoid},
    {.name = "ibv_fork_init", .kind = Kind::kFabric, .shape = shape::kNothing},
    {.name = "ibv_open_device", .kind = Kind::kFabric, .shape = kObject, .returns = Returns::kPointer},
    {.name = "ibv_close_device", .kind = Kind::kFabric, .shape = kObject},
    {.name = "ibv_query_device", .kind = Kind::kFabric, .shape = kQueryDevice},
    {.name = "ibv_query_port", .kind = Kind::kFabric, .shape = kQueryPort},
    {.name = "ibv_query_gid", .kind = Kind::kFabric, .shape = kQueryGid},
    // These return a count, an index or a descriptor: their results do not say here whether they failed.
    {.name = "_ibv_query_gid_table", .kind = Kind::kFabric, .shape = kQueryGidTable, .returns = Returns::kVoid},
    {.name = "ibv_get_pkey_index", .kind = Kind::kFabric, .shape = kFindPkey, .returns = Returns::kVoid},
    {.name = "ibv_dm_export_dmabuf_fd", .kind = Kind::kFabric, .shape = kObject, .returns = Returns::kVoid},
    {.name = "ibv_export_buf_dmabuf_fd", .kind = Kind::kFabric, .shape = kObject, .returns = Returns::kVoid},
    {.name = "_ibv_query_gid_ex", .kind = Kind::kFabric, .shape = kQueryGidEntry},
    {.name = "ibv_query_pkey", .kind = Kind::kFabric, .shape = kQueryPkey},
    {.name = "ibv_query_port_speed", .kind = Kind::kFabric, .shape = kQueryPort},
    {.name = "ibv_resolve_eth_l2_from_gid", .kind = Kind::kFabric, .shape = kResolveAddress},
    {.name = "ibv_import_device", .kind = Kind::kFabric, .shape = kImportDevice, .returns = Returns::kPointer},
    {.name = "ibv_import_pd", .kind = Kind::kFabric, .shape = kImport, .returns = Returns::kPointer},
    {.name = "ibv_unimport_pd", .kind = Kind::kFabric, .shape = kObject, .returns = Returns::kVoid},
    {.name = "ibv_import_mr", .kind = Kind::kFabric, .shape = kImport, .returns = Returns::kPointer},
    {.name = "ibv_unimport_mr", .kind = Kind::kFabric, .shape = kObject, .returns = Returns::kVoid},
    {.name = "ibv_import_dm", .kind = Kind::kFabric, .shape = kImport, .returns = Returns::kPointer},
    {.name = "ibv_unimport_dm", .kind = Kind::kFabric, .shape = kObject, .returns = Returns::kVoid},
    {.name = "ibv_alloc_pd", .kind = Kind::kFabric, .shape = kObject, .returns = Returns::kPointer},
    {.name = "ibv_dealloc_pd", .kind = Kind::kFabric, .shape = kObject},
    {.name = "ibv_reg_mr", .kind = Kind::kFabric, .shape = kRegister, .returns = Returns::kPointer},
    {.name = "ibv_reg_mr_iova", .kind = Kind::kFabric, .shape = kRegisterIova, .returns = Returns::kPointer},
    {.name = "ibv_reg_mr_iova2", .kind = Kind::kFabric, .shape = kRegisterIova, .returns = Returns::kPointer},
    {.name = "ibv_reg_dmabuf_mr", .kind = Kind::kFabric, .shape = kRegisterDmabuf, .returns = Returns::kPointer},
    {.name = "ibv_reg_mr_ex", .kind = Kind::kFabric, .shape = kRegisterEx, .returns = Returns::kPointer},
    {.name = "ibv_rereg_mr", .kind = Kind::kFabric, .shape = kReregister},
    {.name = "ibv_alloc_buf", .kind = Kind::kFabric, .shape = kAllocBuffer, .returns = Returns::kPointer,
     .result = Field::kAddress},
    {.name = "ibv_free_buf", .kind = Kind::kFabric, .shape = kObject, .returns = Returns::kVoid},
    {.name = "ibv_reg_buf_mr", .kind = Kind::kFabric, .shape = kRegisterBuffer, .returns = Returns::kPointer},
    {.name = "ibv_alloc_dmah", .kind = Kind::kFabric, .shape = kQueryDevice, .returns = Returns::kPointer},
    {.name = "ibv_dealloc_dmah", .kind = Kind::kFabric, .shape = kObject},
    {.name = "ibv_dereg_mr", .kind = Kind::kFabric, .shape = kDeregister},
    {.name = "ibv_create_cq", .kind = Kind::kFabric, .shape = kCreateCq, .returns = Returns::kPointer},
    {.name = "ibv_resize_cq", .kind = Kind::kFabric, .shape = kResize},
    {.name = "ibv_create_comp_channel", .kind = Kind::kFabric, .shape = kObject, .returns = Returns::kPointer},
    {.name = "ibv_destroy_comp_channel", .kind = Kind::kFabric, .shape = kObject},
    {.name = "ibv_create_comp_cntr", .kind = Kind::kFabric, .shape = kQueryDevice, .returns = Returns::kPointer},
    {.name = "ibv_destroy_comp_cntr", .kind = Kind::kFabric, .shape = kObject},
    {.name = "ibv_destroy_cq", .kind = Kind::kFabric, .shape = kObject},
    {.name = "ibv_get_cq_event", .kind = Kind::kFabric, .shape = kGetCqEvent},
    {.name = "ibv_ack_cq_events", .kind = Kind::kFabric, .shape = kAck, .returns = Returns::kVoid},
    {.name = "ibv_create_srq", .kind = Kind::kFabric, .shape = kQueryDevice, .returns = Returns::kPointer},
    {.name = "ibv_modify_srq", .kind = Kind::kFabric, .shape = kModifySrq},
    {.name = "ibv_query_srq", .kind = Kind::kFabric, .shape = kQueryDevice},
    {.name = "ibv_destroy_srq", .kind = Kind::kFabric, .shape = kObject},
    {.name = "ibv_create_qp", .kind = Kind::kFabric, .shape = kCreateQp, .returns = Returns::kPointer,
     .behind_result = kMadeQpNumber},
    {.name = "ibv_modify_qp", .kind = Kind::kFabric, .shape = kModifyQp},
    {.name = "ibv_query_qp", .kind = Kind::kFabric, .shape = kQueryQp},
    {.name = "ibv_destroy_qp", .kind = Kind::kFabric, .shape = kDestroyQp},
    {.name = "ibv_attach_mcast", .kind = Kind::kFabric, .shape = kMulticast},
    {.name = "ibv_detach_mcast", .kind = Kind::kFabric, .shape = kMulticast},
    {.name = "ibv_qp_attach_comp_cntr", .kind = Kind::kFabric, .shape = kAttachCounter},
    {.name = "ibv_query_ece", .kind = Kind::kFabric, .shape = kQpAnd},
    {.name = "ibv_set_ece", .kind = Kind::kFabric, .shape = kQpAnd},
    {.name = "ibv_create_ah", .kind = Kind::kFabric, .shape = kQueryDevice, .returns = Returns::kPointer},
    {.name = "ibv_create_ah_from_wc", .kind = Kind::kFabric, .shape = kAddressOfCompletion,
     .returns = Returns::kPointer},
    {.name = "ibv_destroy_ah", .kind = Kind::kFabric, .shape = kObject},
    {.name = kAsyncCall, .kind = Kind::kFabric, .shape = kGetAsync},
    {.name = "ibv_ack_async_event", .kind = Kind::kFabric, .shape = kObject, .returns = Returns::kVoid},
};
// clang-format on

constexpr std::string_view kSonames[] = {"libibverbs.so*"};

constexpr Library kLibraries[] = {
    {.name = "libibverbs", .sonames = kSonames, .rows = kRows, .layer = "RDMA", .source = kSource},
};

constexpr NotProbed kNotProbed[] = {
    {"ibv_post_send, ibv_post_recv, ibv_poll_cq, ibv_req_notify_cq, ibv_wr_*",
     "inline in verbs.h: they jump into the provider, which exports no symbol for them"},
};

// enum ibv_event_type, by number.
constexpr AsyncEvent kAsyncEvents[] = {
    {"IBV_EVENT_CQ_ERR", true},
    {"IBV_EVENT_QP_FATAL", true},
    {"IBV_EVENT_QP_REQ_ERR", true},
    {"IBV_EVENT_QP_ACCESS_ERR", true},
    {"IBV_EVENT_COMM_EST", false},
    {"IBV_EVENT_SQ_DRAINED", false},
    {"IBV_EVENT_PATH_MIG", false},
    {"IBV_EVENT_PATH_MIG_ERR", true},
    {"IBV_EVENT_DEVICE_FATAL", true},
    {"IBV_EVENT_PORT_ACTIVE", false, true},
    {"IBV_EVENT_PORT_ERR", true, true},
    {"IBV_EVENT_LID_CHANGE", false},
    {"IBV_EVENT_PKEY_CHANGE", false},
    {"IBV_EVENT_SM_CHANGE", false},
    {"IBV_EVENT_SRQ_ERR", true},
    {"IBV_EVENT_SRQ_LIMIT_REACHED", false},
    {"IBV_EVENT_QP_LAST_WQE_REACHED", false},
    {"IBV_EVENT_CLIENT_REREGISTER", false},
    {"IBV_EVENT_GID_CHANGE", false},
    {"IBV_EVENT_WQ_FATAL", true},
};

hal::AsyncEvent async_event_of(uint64_t code) {
  return code < std::size(kAsyncEvents) ? kAsyncEvents[code] : AsyncEvent{};
}

// Calls return an errno, or -1 with errno set. Sorted by Linux's numbers (asm-generic/errno*.h).
constexpr hal::StatusName kStatuses[] = {
    {0, "SUCCESS"},
    {EPERM, "EPERM"},
    {ENOENT, "ENOENT"},
    {EINTR, "EINTR"},
    {EIO, "EIO"},
    {ENXIO, "ENXIO"},
    {EBADF, "EBADF"},
    {EAGAIN, "EAGAIN"},
    {ENOMEM, "ENOMEM"},
    {EACCES, "EACCES"},
    {EFAULT, "EFAULT"},
    {EBUSY, "EBUSY"},
    {EEXIST, "EEXIST"},
    {ENODEV, "ENODEV"},
    {EINVAL, "EINVAL"},
    {EMFILE, "EMFILE"},
    {ENOTTY, "ENOTTY"},
    {ENOSPC, "ENOSPC"},
    {ERANGE, "ERANGE"},
    {ENOSYS, "ENOSYS"},
    {ENODATA, "ENODATA"},
    {ETIME, "ETIME"},
    {EPROTO, "EPROTO"},
    {EOVERFLOW, "EOVERFLOW"},
    {EOPNOTSUPP, "EOPNOTSUPP"},
    {ENETUNREACH, "ENETUNREACH"},
    {ETIMEDOUT, "ETIMEDOUT"},
    {ECONNREFUSED, "ECONNREFUSED"},
    {EHOSTUNREACH, "EHOSTUNREACH"},
    {EREMOTEIO, "EREMOTEIO"},
    {ECANCELED, "ECANCELED"},
};

std::unique_ptr<FabricSampler> open_fabric(const SamplerWorld& world) { return std::make_unique<SysfsSampler>(world); }

}  // namespace

extern const Backend kBackend;
constexpr Backend kBackend{.name = "rdma",
                           .vendor = "rdma",
                           .libraries = kLibraries,
                           .statuses = kStatuses,
                           .meanings = kMeanings,
                           .opt_in = "--rdma-verbs",
                           .not_probed = kNotProbed,
                           .event_call = kAsyncCall,
                           .event_of = async_event_of,
                           .counter_of = meaning_of,
                           .open_fabric = open_fabric};

}  // namespace ingero::backends::rdma
