package backoff

// Retryable reports whether the documents retry an outcome with this HTTP
// status and service code: every 5xx except 501 and 505, and nothing below. In
// a reply that names a code but no status (status 0), as that of a broken
// transaction may, the code decides.
func Retryable(status int, code string) bool {
	switch {
	case status == 0:
		return code == "ServerBusy" || code == "OperationTimedOut" || code == "InternalError"
	case status == 501, status == 505:
		return false
	default:
		return status >= 500 && status <= 599
	}
}

// Retryable reports whether the policy retries an outcome with this HTTP status
// and service code: what [Retryable] says, and what the policy adds. Status 0
// with no code is an attempt without a reply.
func (p Policy) Retryable(status int, code string) bool {
	switch {
	case status == 429:
		return p.TooManyRequests
	case status == 0 && code == "":
		return p.NoReply
	default:
		return Retryable(status, code)
	}
}
