// Whether a sanitizer watches the tests. It finds a fault of addresses or threads where code runs once, and sees no
// digits: what is repeated for their sake, or for chance's, is repeated less.
#pragma once

namespace phasor::test {

inline constexpr bool kSanitized = PHASOR_SANITIZED;

}  // namespace phasor::test
