package backoff

import "slices"

// The statuses among which a policy chooses what to retry.
const (
	minCode = 400
	maxCode = 599
)

// Statuses that the documents name one by one.
const (
	// TooManyRequests is how Cosmos DB refuses what is over its limit, where Azure
	// Storage says 503.
	TooManyRequests     = 429
	internalError       = 500
	notImplemented      = 501
	serviceUnavailable  = 503
	versionNotSupported = 505
)

// DocumentedCodes returns the statuses that the documents retry: every 5xx except
// 501 and 505, in ascending order. The slice is the caller's.
func DocumentedCodes() []int {
	var codes []int
	for status := 500; status <= maxCode; status++ {
		if documented(status) {
			codes = append(codes, status)
		}
	}
	return codes
}

func documented(status int) bool {
	return status >= 500 && status <= maxCode && status != notImplemented && status != versionNotSupported
}

// Retryable reports whether the policy retries an outcome with this HTTP status
// and service code, as long as it has a retry left. Status 0 with no code is an
// attempt without a reply: the connection broke, and whether the request was
// carried out is unknown. In a reply that names a code but no status, as that of a
// broken transaction may, the code decides.
func (p Policy) Retryable(status int, code string) bool {
	if status == 0 {
		switch code {
		case "":
			return p.Retries > 0
		case "ServerBusy":
			status = serviceUnavailable
		case "OperationTimedOut", "InternalError":
			status = internalError
		}
	}
	if p.Codes == nil {
		return documented(status)
	}
	return slices.Contains(p.Codes, status)
}

// RetriesAtOnce reports whether the policy retries an outcome without a wait. It does so
// after the first attempt without a reply, where unanswered counts the attempts at the
// request that ended so, this one included: the documents let a failed connection be tried
// again at once, since the service has not reported that it is busy. One such retry
// replaces a stale connection; more would overload a service that is down. It counts as one
// of the policy's retries. A policy with WaitsAlways never retries at once.
func (p Policy) RetriesAtOnce(status int, code string, unanswered int) bool {
	return !p.WaitsAlways && status == 0 && code == "" && unanswered == 1
}
