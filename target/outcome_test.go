package target_test

import (
	"testing"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/target"
)

// Whatever status an outcome with a fault has, and whatever its operation expects, it is
// failed, and nobody has heard whether it was carried out.
func TestOutcomesWithAFault(t *testing.T) {
	all := target.Expected{NotFound: true, Conflict: true, Precondition: true}
	for _, fault := range []target.Fault{target.TimedOut, target.ConnectionReset, target.Unreadable, target.WrongEntity, "another"} {
		for _, status := range []int{0, 200, 204, 404, 409, 412, 503} {
			o := target.Outcome{Status: status, Fault: fault}
			if class := o.Class(all); class != results.Failed || !o.Unheard() || o.Cause() != string(fault) {
				t.Errorf("%d with the fault %s is %v by %q, unheard %v; want failed, by the fault, unheard", status, fault, class, o.Cause(), o.Unheard())
			}
		}
	}
	if o := (target.Outcome{Status: 503, Code: entity.ServerBusy}); o.Cause() != "ServerBusy" {
		t.Errorf("the cause of %+v is %q; want the service's code", o, o.Cause())
	}
}

func TestClass(t *testing.T) {
	var none target.Expected
	absent := target.Expected{NotFound: true}
	taken := target.Expected{Conflict: true}
	stale := target.Expected{Precondition: true}
	all := target.Expected{NotFound: true, Conflict: true, Precondition: true}
	for _, row := range []struct {
		name     string
		status   int
		code     entity.Code
		expected target.Expected
		want     results.Class
	}{
		{"no reply at all", 0, "", none, results.Failed},
		{"no reply is expected by nobody", 0, "", all, results.Failed},
		{"a negative status", -503, "", all, results.Failed},
		{"an informational status is no success", 199, "", all, results.Failed},
		{"read", 200, "", none, results.Ok},
		{"created", 201, "", none, results.Ok},
		{"a transaction carried out", 202, "", none, results.Ok},
		{"written without an echo", 204, "", none, results.Ok},
		{"the last 2xx", 299, "", none, results.Ok},
		{"a redirection is no success", 300, "", all, results.Failed},
		{"not modified", 304, "", all, results.Failed},
		{"bad request", 400, entity.InvalidInput, all, results.Failed},
		{"a bad signature", 403, "", all, results.Failed},
		{"missing", 404, entity.ResourceNotFound, none, results.Failed},
		{"missing, as a delete-if-exists expects", 404, entity.ResourceNotFound, absent, results.Ok},
		{"missing, where only a conflict is expected", 404, entity.ResourceNotFound, taken, results.Failed},
		{"request time-out is the client's fault", 408, "", all, results.Failed},
		{"exists already", 409, entity.EntityAlreadyExists, none, results.Failed},
		{"exists already, as an insert-if-absent expects", 409, entity.EntityAlreadyExists, taken, results.Ok},
		{"exists already, where only 412 is expected", 409, entity.EntityAlreadyExists, stale, results.Failed},
		{"another version", 412, entity.ConditionNotSatisfied, none, results.Failed},
		{"another version, as an optimistic writer expects", 412, entity.ConditionNotSatisfied, stale, results.Ok},
		{"another version, where only 404 is expected", 412, entity.ConditionNotSatisfied, absent, results.Failed},
		{"a body too large", 413, entity.RequestBodyTooLarge, all, results.Failed},
		{"too many requests, of Cosmos DB", 429, "TooManyRequests", none, results.Throttled},
		{"an internal error", 500, "InternalError", none, results.Failed},
		{"an internal error without a code", 500, "", none, results.Failed},
		{"a time-out of the server", 500, entity.OperationTimedOut, none, results.Throttled},
		{"not implemented", 501, "", all, results.Failed},
		{"bad gateway", 502, "", all, results.Failed},
		{"server busy", 503, entity.ServerBusy, none, results.Throttled},
		{"busy, whoever says so", 503, "", all, results.Throttled},
		{"gateway time-out", 504, "", none, results.Throttled},
		{"HTTP version not supported", 505, "", all, results.Failed},
	} {
		outcome := target.Outcome{Status: row.status, Code: row.code}
		if got := outcome.Class(row.expected); got != row.want {
			t.Errorf("%s: Outcome{%d %s}.Class(%+v) = %v; want %v", row.name, row.status, row.code, row.expected, got, row.want)
		}
	}
}

// Every status has exactly one class, and an expectation can only turn Failed
// into Ok.
func TestEveryStatusHasAClass(t *testing.T) {
	for status := -1; status <= 700; status++ {
		for _, code := range []entity.Code{"", entity.OperationTimedOut, entity.ServerBusy} {
			outcome := target.Outcome{Status: status, Code: code}
			plain := outcome.Class(target.Expected{})
			handled := outcome.Class(target.Expected{NotFound: true, Conflict: true, Precondition: true})
			if plain < results.Ok || plain > results.Failed {
				t.Fatalf("Outcome{%d %s}.Class() = %d; want one of the three", status, code, plain)
			}
			if handled != plain && !(plain == results.Failed && handled == results.Ok) {
				t.Fatalf("Outcome{%d %s}: %v, and %v where it is handled; want the same, or failed and ok", status, code, plain, handled)
			}
		}
	}
}

func TestClassNames(t *testing.T) {
	for class, want := range map[results.Class]string{
		results.Ok: "ok", results.Throttled: "throttled", results.Failed: "failed", 0: "unknown", 9: "unknown",
	} {
		if got := class.String(); got != want {
			t.Errorf("Class(%d).String() = %q; want %q", class, got, want)
		}
	}
}

func TestUnheard(t *testing.T) {
	for _, row := range []struct {
		name   string
		status int
		code   entity.Code
		want   bool
	}{
		{"no reply", 0, "", true},
		{"no reply, by a name", 0, entity.OperationTimedOut, true},
		{"a time-out of the server", 500, entity.OperationTimedOut, true},
		{"an internal error", 500, "InternalError", true},
		{"bad gateway", 502, "", true},
		{"a gateway that waited too long", 504, "", true},
		{"a busy server has done nothing", 503, entity.ServerBusy, false},
		{"a server that is busy until its time is over", 503, entity.OperationTimedOut, true},
		{"too many requests", 429, "TooManyRequests", false},
		{"carried out", 204, "", false},
		{"refused for its condition", 412, entity.ConditionNotSatisfied, false},
		{"the last status below", 499, "", false},
	} {
		outcome := target.Outcome{Status: row.status, Code: row.code}
		if got := outcome.Unheard(); got != row.want {
			t.Errorf("%s: Outcome{%d %s}.Unheard() = %t; want %t", row.name, row.status, row.code, got, row.want)
		}
	}
}
