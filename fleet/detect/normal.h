// The quantile of the standard normal distribution: which z a share of a population lies below.
#pragma once

namespace ingero::fleet::detect {

// `share` in (0, 1); what is outside counts as the nearest share that is inside. Off by less than 2e-9 of the result.
double normal_quantile(double share);

}  // namespace ingero::fleet::detect
