package wire_test

import (
	"fmt"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// A client registers two runners in one transaction, under its key; a server
// checks the signature, reads the transaction and refuses it, since the second
// runner has a bib already; the client learns which of the two it was.
func Example() {
	secret, err := wire.NewSecret("c2VjcmV0IG9mIHRoZSByYWNlcw==")
	if err != nil {
		fmt.Println(err)
		return
	}
	base := wire.Base{URL: "http://127.0.0.1:10002/races", Account: "races"}
	registrations := []entity.Change{
		{Verb: entity.Insert, Key: entity.Key{Partition: "Half", Row: "0036__Lee"}},
		{Verb: entity.Insert, Key: entity.Key{Partition: "Half", Row: "0037__Kim"}},
	}
	body := string(wire.AppendBatch(nil, "1", base, "Runners", registrations, nil))
	signable := wire.Signable{
		Method: "POST", Date: "Fri, 20 Nov 2026 11:48:19 GMT", Account: "races", Path: "/races/$batch",
	}
	header := string(secret.AppendAuthorization(nil, wire.SharedKeyLite, &signable))

	sent, ok := wire.ParseAuthorization(header)
	fmt.Println(sent.Account, ok && secret.Verify(sent.Scheme, &signable, sent.Signature))
	var request wire.BatchRequest
	if code, _, detail := request.Parse("batch_1", body); code != entity.OK {
		fmt.Println(code, detail)
		return
	}
	for _, c := range request.Changes {
		fmt.Println(c.Verb, request.Table, c.Key.Row)
	}
	reply := wire.BatchReply{ID: "1", Rendering: wire.Rendering{Base: base, Table: request.Table}}
	failure := wire.Failure{Code: entity.EntityAlreadyExists, Message: wire.Message(entity.EntityAlreadyExists)}
	refusal := string(reply.AppendFailure(nil, 1, &request.Parts[1], &failure))

	boundary, _ := wire.Boundary(reply.ContentType())
	outcome, err := wire.ParseBatchReply(boundary, refusal)
	fmt.Println(outcome.Status, outcome.Failure.Code, registrations[outcome.FailedIndex].Key.Row, err)
	fmt.Println(secret)
	// Output:
	// races true
	// insert Runners 0036__Lee
	// insert Runners 0037__Kim
	// 409 EntityAlreadyExists 0037__Kim <nil>
	// (secret)
}
