package azure_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/wire"
	"loadgen/target"
	"loadgen/target/azure"
)

// A runner is registered with a service that is too busy at first. The client
// does not try again by itself: that is for its caller to decide.
func Example() {
	attempts := 0
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		attempts++
		if attempts == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"odata.error":{"code":"ServerBusy","message":{"lang":"en-US","value":"Operations per second is over the account limit."}}}`)
			return
		}
		w.Header().Set("ETag", `W/"datetime'2026-11-20T11%3A48%3A20.482704Z'"`)
		w.WriteHeader(http.StatusNoContent)
	}))
	defer service.Close()

	secret, err := wire.NewSecret("c2VjcmV0")
	if err != nil {
		panic(err)
	}
	endpoint, err := azure.ParseURL(service.URL+"/races", "", secret)
	if err != nil {
		panic(err)
	}
	wall := clock.NewReal()
	races, err := azure.New(azure.Options{Endpoint: endpoint, Connections: 4, Clock: wall, Calendar: wall})
	if err != nil {
		panic(err)
	}
	defer races.Close()

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	register := target.Operation{Verb: entity.Insert, Table: "Registrations", Number: 1, Change: entity.Change{
		Verb: entity.Insert,
		Key:  entity.Key{Partition: "2011 New York City Marathon__Full", Row: "1234__John__M__55"},
	}}
	for register.Attempt = range 2 {
		outcome := races.Do(ctx, &register)
		fmt.Printf("%d %v counts %d\n", outcome.Status, outcome.Class(target.Expected{}), outcome.Counted)
	}
	used := races.Connections()
	fmt.Println("attempts on connections, new and used:", used.Opened+used.Reused)
	// Output:
	// 503 throttled counts 0
	// 204 ok counts 1
	// attempts on connections, new and used: 2
}
