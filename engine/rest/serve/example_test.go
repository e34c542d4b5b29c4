package serve_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"loadgen/engine/rest/serve"
)

// A service with one race in it is asked how it is, and told to stop.
func Example() {
	s, err := serve.Open(context.Background(), serve.Options{Listen: "127.0.0.1:0",
		Imports: []string{"-"}, Input: strings.NewReader(`{"Table":"Races","PartitionKey":"2011","RowKey":"1"}`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	s.Begin()

	reply, err := http.Get(s.AdminURL() + serve.HealthPath)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer reply.Body.Close()
	_, _ = io.Copy(os.Stdout, reply.Body)
	fmt.Println(s.State().Tables)
	fmt.Println(s.Drain())
	// Output:
	// ok
	// [{Races 1}]
	// <nil>
}
