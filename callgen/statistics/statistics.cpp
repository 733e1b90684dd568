#include "callgen/statistics.hpp"

namespace xbind::callgen {

void Statistics::take(const RequestRecord& record) {
  if (record.sent == RequestRecord::kNever) return;
  slip.record(record.sent - record.planned);
  if (record.answered == RequestRecord::kNever) return;
  if (record.kind == RequestKind::kSetup) {
    if (record.ended == Ended::kDone) {
      setup_latency.record(record.answered - record.planned);
      setup_latency_from_send.record(record.answered - record.sent);
    } else {
      refusal_latency.record(record.answered - record.planned);
    }
  } else if (record.kind == RequestKind::kRelease && record.ended == Ended::kDone) {
    release_latency.record(record.answered - record.planned);
    release_latency_from_send.record(record.answered - record.sent);
  }
}

}  // namespace xbind::callgen
