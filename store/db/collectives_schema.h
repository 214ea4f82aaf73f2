// What a recording holds of collectives besides the rows of their calls, as SQL (schema step 21).
#pragma once

#include <string>

namespace ingero::store {

std::string collective_tables();
std::string collective_views();  // all of them
std::string collectives_view();

}  // namespace ingero::store
