// What the codes of the verbs library mean there, and what to do: they are errno values.
#pragma once

#include "hal/status_meaning.h"

namespace ingero::backends::rdma {

inline constexpr hal::StatusMeaning kMeanings[] = {
    {"EPERM", hal::StatusEffect::kOrdinary, "The caller has no right to do this.",
     "Check the rights on /dev/infiniband and the container's device access."},
    {"EIO", hal::StatusEffect::kFatal, "The adapter failed, or was reset.",
     "Look at the kernel log and at the adapter's state."},
    {"EAGAIN", hal::StatusEffect::kOrdinary, "A limit of the process or of the adapter was reached.",
     "Raise the limit of locked memory (ulimit -l unlimited)."},
    {"ENOMEM", hal::StatusEffect::kOrdinary, "Memory could not be locked, or the adapter's resources are used up.",
     "Raise the limit of locked memory (ulimit -l unlimited); use fewer queue pairs and memory regions."},
    {"EACCES", hal::StatusEffect::kOrdinary, "The access flags are not allowed for this memory.",
     "Check the access flags, and that the memory is writable."},
    {"EFAULT", hal::StatusEffect::kOrdinary, "The address range is not mapped.", "Check address and length."},
    {"ENODEV", hal::StatusEffect::kFatal, "The adapter is gone.",
     "Look at the kernel log: the adapter was removed or reset."},
    {"EINVAL", hal::StatusEffect::kOrdinary, "A parameter is out of the range that the adapter accepts.",
     "Check attributes against the adapter's limits (ibv_devinfo -v)."},
    {"ENOSYS", hal::StatusEffect::kOrdinary, "The adapter's driver does not offer this.",
     "Use another verb, or update the driver."},
    {"EOPNOTSUPP", hal::StatusEffect::kOrdinary, "The adapter's driver does not offer this.",
     "Use another verb, or update the driver."},
    {"ETIMEDOUT", hal::StatusEffect::kOrdinary, "The adapter or its firmware did not answer in time.",
     "Look at the kernel log and the adapter's firmware."},
};

}  // namespace ingero::backends::rdma
