package azure_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"loadgen/engine/entity"
	"loadgen/target"
	"loadgen/target/azure"
)

// The rule by which counts are derived, for every status that a service sends
// and every kind of operation.
func TestDerivedCounts(t *testing.T) {
	get, insert := get("1"), single(entity.Insert, "1", entity.Match{})
	query := target.Operation{Verb: entity.Query, Table: "Runners"}
	create := target.Operation{Verb: entity.CreateTable, Table: "Runners"}
	batch := func(writes int) target.Operation {
		op := target.Operation{Verb: entity.Batch, Table: "Runners"}
		for i := range writes {
			op.Changes = append(op.Changes, runner(strconv.Itoa(i)))
		}
		return op
	}
	three := batch(3)
	// What is not in want counts nothing.
	type key struct {
		op     *target.Operation
		status int
		code   entity.Code
	}
	want := map[key]int64{
		{&insert, 400, "InvalidInput"}: 1, {&three, 400, "InvalidInput"}: 3,
		{&insert, 400, ""}: 1, {&three, 400, ""}: 3,
	}
	for _, op := range []*target.Operation{&get, &insert, &query, &three} {
		for _, status := range []int{404, 409, 412} {
			for _, code := range []entity.Code{"", "InvalidInput"} {
				want[key{op, status, code}] = max(1, int64(len(op.Changes)))
			}
		}
	}
	for _, status := range []int{301, 400, 401, 403, 404, 405, 408, 409, 411, 412, 413, 415, 429, 500, 501, 502, 503, 504} {
		for _, code := range []entity.Code{"", "InvalidInput", entity.TableNotFound, entity.DuplicateProperties} {
			subject, _ := openAt(t, always(fmt.Sprintf("HTTP/1.1 %d X\r\nx-ms-error-code: %s\r\nContent-Length: 0\r\n\r\n", status, code)), azure.Options{})
			for _, op := range []*target.Operation{&get, &insert, &query, &three, &create} {
				got := subject.Do(context.Background(), op)
				if got.Status != status || got.Code != code || got.Counted != want[key{op, status, code}] {
					t.Errorf("%v answered %d %s = %d %s, counted %d; want %d", op.Verb, status, code, got.Status, got.Code, got.Counted, want[key{op, status, code}])
				}
			}
		}
	}
	subject, _ := openAt(t, always("HTTP/1.1 400 X\r\nContent-Length: 0\r\n\r\n"), azure.Options{})
	for writes, want := range map[int]int64{0: 0, 1: 1, 100: 100, 101: 0} {
		op := batch(writes)
		if got := subject.Do(context.Background(), &op); got.Counted != want {
			t.Errorf("a transaction of %d writes, answered 400, counted %d; want %d", writes, got.Counted, want)
		}
	}
}
