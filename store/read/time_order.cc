// Corrects times by the nodes' offsets, and compares what is left of the bounds: see time_order.h.
#include "store/read/time_order.h"

#include <algorithm>

#include "base/text.h"

namespace ingero::store {
namespace {

uint64_t moved(uint64_t ns, int64_t by_ns) {
  const uint64_t size = by_ns < 0 ? uint64_t{0} - static_cast<uint64_t>(by_ns) : static_cast<uint64_t>(by_ns);
  if (by_ns < 0) return ns > UINT64_MAX - size ? UINT64_MAX : ns + size;
  return ns > size ? ns - size : 0;
}

// Of one node its own clock says it; of two both have to be known.
bool is_after(const Ordered& one, const Ordered& before) {
  const uint64_t windows_ns = one.moment.window_ns + before.moment.window_ns;
  if (one.moment.node == before.moment.node && one.moment.recorded == before.moment.recorded) {
    return one.moment.wall_ns > before.moment.wall_ns + windows_ns;
  }
  if (!one.ours_ns || !before.ours_ns) return false;
  return *one.ours_ns - std::min(*one.ours_ns, *before.ours_ns) > one.within_ns + before.within_ns;
}

}  // namespace

std::vector<Ordered> in_order(std::vector<Moment> moments) {
  std::vector<Ordered> ordered;
  for (Moment& moment : moments) {
    Ordered one;
    if (moment.clock) {
      one.ours_ns = moved(moment.wall_ns, moment.clock->offset_ns);
      one.within_ns = moment.clock->within_ns + moment.window_ns;
    }
    one.moment = std::move(moment);
    ordered.push_back(std::move(one));
  }
  std::ranges::stable_sort(ordered, {}, [](const Ordered& one) {
    return std::pair(!one.ours_ns.has_value(), one.ours_ns.value_or(one.moment.wall_ns));
  });
  for (size_t i = 1; i < ordered.size(); ++i) ordered[i].is_certain = is_after(ordered[i], ordered[i - 1]);
  return ordered;
}

std::vector<Ordered> in_order_of_nodes(std::vector<Moment> moments) {
  const bool is_one = std::ranges::all_of(moments, [&](const Moment& one) {
    return one.node == moments.front().node && one.recorded == moments.front().recorded;
  });
  return is_one ? std::vector<Ordered>() : in_order(std::move(moments));
}

Json order_json(const std::vector<Ordered>& ordered) {
  Json list = Json::array();
  for (const Ordered& one : ordered) {
    list.push_back({{"node", one.moment.node},
                    {"id", one.moment.id},
                    {"onset", format_wall(one.ours_ns.value_or(one.moment.wall_ns))},
                    {"within_ns", one.ours_ns ? Json(one.within_ns) : Json(nullptr)},
                    {"is_certain", one.is_certain}});
  }
  return list;
}

}  // namespace ingero::store
