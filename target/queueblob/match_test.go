package queueblob_test

import (
	"testing"

	"loadgen/engine/clock"
	"loadgen/target"
	"loadgen/target/queueblob"
)

// A blob is written under a condition only where that holds, and each write gives it an
// ETag that nobody has seen before.
func TestBlobsAreWrittenUnderConditions(t *testing.T) {
	m := queueblob.NewMemory()
	do := func(b target.Beside) target.Outcome {
		b.Store, b.Name = "lists", "jones"
		o, _ := m.Submit(clock.Instant(0), &target.Operation{Beside: &b})
		return o
	}
	put := func(match, body string) target.Outcome {
		return do(target.Beside{Verb: target.PutBlob, Match: match, Body: []byte(body)})
	}
	if o := put("0x1", "a"); o.Status != 412 || o.Code != "ConditionNotMet" {
		t.Errorf("writing over a blob that is not there answered %d %s; want 412 ConditionNotMet", o.Status, o.Code)
	}
	first := put(target.IfAbsent, "b")
	if first.Status != 201 || len(first.Found) != 1 || first.Found[0].ETag == "" {
		t.Fatalf("writing where nothing is answered %d with %v; want 201 and an ETag", first.Status, first.Found)
	}
	if o := put(target.IfAbsent, "c"); o.Status != 409 || o.Code != "BlobAlreadyExists" {
		t.Errorf("writing where something is answered %d %s; want 409 BlobAlreadyExists", o.Status, o.Code)
	}
	if read := do(target.Beside{Verb: target.GetBlob}); string(read.Found[0].Body) != "b" || read.Found[0].ETag != first.Found[0].ETag {
		t.Errorf("there is %q with ETag %q; want b with %q", read.Found[0].Body, read.Found[0].ETag, first.Found[0].ETag)
	}
	second := put(first.Found[0].ETag, "b")
	if second.Status != 201 || second.Found[0].ETag == first.Found[0].ETag {
		t.Errorf("writing over what was read answered %d with the ETag %v; want 201 and another one than %v", second.Status, second.Found, first.Found)
	}
	if o := put(first.Found[0].ETag, "d"); o.Status != 412 {
		t.Errorf("writing over what was read before somebody else wrote answered %d; want 412", o.Status)
	}
	if list := do(target.Beside{Verb: target.ListBlobs}); len(list.Found) != 1 || list.Found[0].ETag != second.Found[0].ETag {
		t.Errorf("the list of blobs is %v; want one with ETag %q", list.Found, second.Found[0].ETag)
	}
}
