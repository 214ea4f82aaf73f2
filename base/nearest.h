// The known word that a mistyped one most likely meant, because "did you mean" saves a reader the help page.
//
// Pure. Words are compared byte by byte without regard to ASCII case; long ones are not compared at all.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ingero {

// How many bytes differ: insertions, deletions, replacements, and swaps of neighbours.
size_t edit_distance(std::string_view one, std::string_view other);

// The nearest of `known`, where it is near enough to be meant: at most a third of the word differs, and never more than
// three bytes; or a longer name that begins with it. Empty: none is. Of equals the first.
std::string_view nearest_of(std::string_view word, std::span<const std::string> known);

// ", did you mean NAME?", or nothing. `prefix` stands before the name ("--").
std::string did_you_mean(std::string_view word, std::span<const std::string> known, std::string_view prefix = {});

}  // namespace ingero
