// The rows of libibverbs against infiniband/verbs.h, where that is installed.
#include <set>
#include <string_view>

#include <gtest/gtest.h>

#include "backends/registry.h"
#include "prototype_check.h"

#if __has_include(<infiniband/verbs.h>)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <infiniband/verbs.h>
#pragma GCC diagnostic pop

// clang-format off
#define VERBS(X) \
  X(_ibv_query_gid_ex) X(_ibv_query_gid_table) X(ibv_ack_async_event) X(ibv_ack_cq_events) X(ibv_alloc_pd) \
  X(ibv_attach_mcast) X(ibv_close_device) X(ibv_create_ah) X(ibv_create_ah_from_wc) X(ibv_create_comp_channel) \
  X(ibv_create_cq) X(ibv_create_qp) X(ibv_create_srq) X(ibv_dealloc_pd) X(ibv_dereg_mr) X(ibv_destroy_ah) \
  X(ibv_destroy_comp_channel) X(ibv_destroy_cq) X(ibv_destroy_qp) X(ibv_destroy_srq) X(ibv_detach_mcast) \
  X(ibv_fork_init) X(ibv_free_device_list) X(ibv_get_async_event) X(ibv_get_cq_event) X(ibv_get_device_list) \
  X(ibv_get_pkey_index) X(ibv_import_device) X(ibv_import_dm) X(ibv_import_mr) X(ibv_import_pd) X(ibv_modify_qp) \
  X(ibv_modify_srq) X(ibv_open_device) X(ibv_query_device) X(ibv_query_ece) X(ibv_query_gid) X(ibv_query_pkey) \
  X(ibv_query_port) X(ibv_query_qp) X(ibv_query_srq) X(ibv_reg_dmabuf_mr) X(ibv_reg_mr) X(ibv_reg_mr_iova) \
  X(ibv_reg_mr_iova2) X(ibv_rereg_mr) X(ibv_resize_cq) X(ibv_resolve_eth_l2_from_gid) X(ibv_set_ece) \
  X(ibv_unimport_dm) X(ibv_unimport_mr) X(ibv_unimport_pd)
// Declared later than in rdma-core 44, which says no version: compared by building with INGERO_NEWEST_VERBS (65).
#define VERBS_LATER(X) \
  X(ibv_alloc_buf) X(ibv_alloc_dmah) X(ibv_create_comp_cntr) X(ibv_dealloc_dmah) X(ibv_destroy_comp_cntr) \
  X(ibv_dm_export_dmabuf_fd) X(ibv_export_buf_dmabuf_fd) X(ibv_free_buf) X(ibv_qp_attach_comp_cntr) \
  X(ibv_query_port_speed) X(ibv_reg_buf_mr) X(ibv_reg_mr_ex)
// clang-format on
#endif

namespace ingero::testing {
namespace {

const hal::Library& verbs() {
  for (const hal::Backend* backend : backends::all_backends()) {
    if (backend->name == "rdma") return backend->libraries[0];
  }
  std::abort();
}

TEST(RdmaPrototypes, RowsAreWhatTheHeaderDeclares) {
#if defined(VERBS)
#define X(name) {#name, SignatureOf<decltype(&name)>::get()},
  Signatures header = {VERBS(X)};
  std::set<std::string_view> undeclared;
#if defined(INGERO_NEWEST_VERBS)
  header.insert({VERBS_LATER(X)});
#else
#define UNDECLARED(name) #name,
  undeclared = {VERBS_LATER(UNDECLARED)};
#undef UNDECLARED
#endif
#undef X
  expect_library(verbs(), header, {}, undeclared);
#else
  GTEST_SKIP() << "no infiniband/verbs.h: " << verbs().rows.size() << " rows were not compared";
#endif
}

}  // namespace
}  // namespace ingero::testing
