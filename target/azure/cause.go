package azure

import (
	"strings"

	"loadgen/engine/entity"
	"loadgen/target"
)

// The causes of a refusal.
const (
	// CauseAccount: the account is over its limit of requests or bandwidth.
	CauseAccount = "account"
	// CausePartition: the partition, or the server that has it, is busy.
	CausePartition = "partition"
	// CauseTimeout: the service did not finish in time; the operation may have
	// been carried out all the same.
	CauseTimeout = "time-out"
)

// Cause returns what a refusal was for, and the empty text for an outcome that
// is none. The service uses one code for an account over its limit and a busy
// partition; its message alone tells them apart.
func Cause(o *target.Outcome) string {
	switch {
	case o.Class(target.Expected{}) != target.Refused:
		return ""
	case o.Code == entity.OperationTimedOut, o.Status == 504:
		return CauseTimeout
	case strings.Contains(o.Detail, "account limit"):
		return CauseAccount
	default:
		return CausePartition
	}
}
