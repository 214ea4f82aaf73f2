// What each interface of the server refuses before the cluster hears of it, by the interface's name.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "serve/http/refusals.h"

namespace ingero::fleet::server {

using InterfaceRefusals = std::vector<std::pair<std::string_view, const serve::http::Refusals*>>;

}  // namespace ingero::fleet::server
